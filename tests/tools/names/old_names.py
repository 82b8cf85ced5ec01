"""Former names of modules, classes and functions, and the search of the tree for definitions that still have one.

    PYTHONPATH=tests/tools python -m names.old_names

A name is compared where it is given: files and packages, classes, functions, methods. ``ALLOWED`` holds the former
names that are right today, each with what it means.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[3]
#: the product, its devices, and the tools that were part of the product
FOLDERS = ("engine", "hardware", "kiosk", "firmware", "fabrication", "tests/tools/simulate", "tests/tools/verify")

MODULES = """
    above access acting acts address adoption again all_tables anteroom app arbiter arbiter_acts article ask
    assembly base begun between_turns blackout blossom boards bodies book books breadth breaking brush bulk
    button_pipeline calculations calling captures card caretaker carried carriers cells certificates chain change
    changes check choices chouchou_multiplayer claims clock_flags clock_presets_and_settings closing club club_file
    collection color_choice columns company concerns condition conduct confirmation copy core departures
    desk_state_and_commit diagnosis disc_count_and_card_view document door drawing driver effects elo_writing
    elsewhere endings ends enrolments entry event event_validation events explain_pools explanation extent eye facts
    files filling film finals finder finding finger flags flanking floor fold following frames game_recovery
    gamepage garbage geometry gestures glyphs grade_awards_and_fees grid guesses guided hall hands happened header
    health helper history holding illegal_move_diagnosis inbox journal_files_and_card_alarms journal_hand_in kana
    keeper key_cable key_waiter keyless keys keys_devices kinds landmarks laws liar likeness limits lines listening
    listing lists lit live live_game_json live_venue_state m40_duels m40_leagues m40_pools machine machines marking
    matching meijin43_division memory memory_card money mounting names naming neighbour_league neighbours network
    one_table operator orders othello outbox outgoing own pace pairing parts patches pauses penalties penalty people
    pin pins place places plan port ports presses prints privacy program publisher pusher random_event ranking
    reader reading readings reasons refusals register relay renderer replayed rereading results returned rights
    roll_call roster rows rulings safekeeping scene script seating seats segment_format senses sensor_protocol
    serial services serving settings settler setup shapes sheet sheets show signing simulated_game_plan
    simulated_wire snapshot sounder sources spectators spots staff stage stages standing standings_table
    starlette_app start steps store_backup_and_check strange streams strict supply sysfs systems table_devices_page
    table_game table_view team terminal_progress texts thinning timebase times tokens toml trail troubles turn_times
    typed typeface update_archive updates usage values vault venue venue_push_receiver venue_push_thread
    venue_row_index visit waiting wall watcher where who whole window wire wishes words workbook worker world worth
    arbiter_order_fields arbiter_orders arbiter_photograph_page backup_signing_key broadcast_relay
    calendar_and_season_pages desktop_icon federation_lists_page form_parsing hall_json_and_openapi head_assembly
    listening_sockets_and_tls live_board_pages live_games_as_json live_update_streams non_database_backup_files
    page_route_handling pairings_and_standings person_registry player_list_cells player_list_columns players_page
    publication_redaction published_game_positions published_labels resolve_unrecorded_games result_entry
    round_draft_page round_draft_publication_and_undo sessions signed_backups table_cards_for_pages
    tournament_projection unrecorded_games_page untrusted_store_reader user_accounts venue_broadcast
    venue_broadcast_pages
"""
CLASSES = """
    Above Access Account Act Address Ailment Anonymous Answer Answers Anteroom Apart ArbiterDesk Ask AskBoard Asked
    AtArbiter AtTable Barred BatteryTold BegunGames Bend Blackout Both Broken Caller Callers Calls Card Caretaker
    Carried Carrier Changed Changes Claim ClaimOf Claims Closing Cloth Collection Column Company Concern Condition
    Confirmation Consequences Copy Core Count Course Created Crystal Cut Departures Device Discs Done Door Doubt Down
    Draw Drawn Elsewhere End Endings Entry Explanation Extent Facts Failures FieldFormatter FiledFinding Filmed
    Finding FindingFiled Fingers Fit Flag FollowedGame Found Free Garbage Gathering GatheringNamed Given Guide HallPin
    HallState HandMade Hands Happened Head HeadProgram HealthTeller Heard Held Helper Here Ink Inside Keeper Kept
    KeptPin KeptSession KeyWaiter Kind Known Landmarks LateNeverCame Ledger LeftOut Lesson Level Liar Life Limit Line
    Listed Listing Lit Live Long Look Looks Lot Lottery Machine Machines Made MadeByHand Mark Memory Mishap Moment
    Naming NeighbourLeague Neighbours NotOfThisForm NothingDrawsError NoticeSeen NoticesTold Offer Offered OneOf
    Opener Origin Outlook PacedTime Page Past Pending People Person Pictures Place Plan Played Presses Problem
    Programme Published Question Ranked Read Reading Rebuilt Record RecordSetAside Refused Register Relayed Removed
    Replay Replays Report Reread Returned ReturnedDevices RollCall Room Roster Rules Ruling RulingRow Said Sealer Seat
    Seated Seating Seats Seen Seldom Sending Sent SetAside Settler Shape Sheet ShiftedTime Short Show Shown Side Sight
    Situation Slip SlotSet Spectators Spike Split SquareTrouble Staff Stage Stages Stand StandstillError Step Still
    Stuck SupplyWatch Surroundings TakeOver Taken Tally Teacher TextError Thing Timed TitleThen Told TooMany Touched
    Touching Track Trail Trouble Turn TurnedWin Undone UnusableInput Vault View Visit Waiting Waits Want Wanted
    Watcher Well Who Whole Whose Wish Word Worker World Worth Worths _Asking _Linked _Shaking
"""
FUNCTIONS = """
    acted acting_as admits arrived backwards both changed cheapest_matching check_wishes conclude doubtful english
    enter farewell follow forget found_by gathered give_way hand_over hear heard heaviest_matching hider images
    is_sealed know_table learned leave_no_core let_go look look_again middles misused names_of new_mark obey ordered
    outward_address pass_time plug point_out_both poke price_neighbours price_of price_round put_right reading_strange
    said sayer see shown shown_event spoken take tell tell_all tell_arbiter think tidy told too_dear useful_costs
    usual_start wakes witnessed
"""
#: a former name that stands in the tree -> what it means there
ALLOWED = {
    "Page": "a page of the guide",
    "Seat": "the left or right player's place at a table",
    "Stage": "a stage of a division: league, semi-finals, final",
    "access": "the package of accounts, roles and sign-in",
    "arbiter": "the packages of the arbiter's pages and screen",
    "changed": "the entries of an import that differ from known players",
    "enter": "to enter a result at the desk",
    "event": "the package of the tournament's state; an event file is the field's word",
    "forget": "to drop a pending or cached value; `kiosk keys forget` is a command",
    "history": "the history of games that the simulated hall compares",
    "program": "the package that connects, serves and closes the parts of the head",
    "publisher": "the publisher of the tournament's pages to a remote target",
    "scene": "the content of a screen, as in a scene graph",
}
_DEFINITION = re.compile(r" *(class|def|async def) (\w+)")


def definitions(root: Path = ROOT) -> Iterator[tuple[str, str, str]]:
    """Yield the kind (module, class, function), name and place of every definition."""
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*.py")):
            place = path.relative_to(root).as_posix()
            yield "module", path.parent.name if path.name == "__init__.py" else path.stem, place
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
                if found := _DEFINITION.match(line):
                    yield "class" if found[1] == "class" else "function", found[2], f"{place}:{number}"


def former_names(root: Path = ROOT) -> list[tuple[str, str, str]]:
    """Return the definitions whose name is a former one, allowed or not."""
    former = {"module": set(MODULES.split()), "class": set(CLASSES.split()), "function": set(FUNCTIONS.split())}
    return [one for one in definitions(root) if one[1] in former[one[0]]]


if __name__ == "__main__":
    left = [f"{place}: {kind} {name}\n" for kind, name, place in former_names() if name not in ALLOWED]
    sys.stdout.writelines(left)
    sys.exit(bool(left))
