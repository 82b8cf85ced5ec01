"""The invariants of a hall, each a function with its name (docs/develop/testing.md lists them).

An invariant inspects the real programs and the recorded history of the world, and changes nothing. It returns None, or
a sentence that describes the violation.
"""

from __future__ import annotations

from kiosk.simulate.laws import of_tables, of_the_federation, of_the_head

ON_THE_WAY = (
    of_tables.saved_is_never_lost,
    of_the_head.acknowledged_is_in_the_store,
    of_the_head.a_game_is_at_one_table,
    of_tables.the_journal_gives_the_game,
    of_the_head.the_heads_picture_is_the_tables,
    of_the_federation.what_a_federation_has_it_keeps,
)
AT_THE_END = (
    *ON_THE_WAY,
    of_tables.clocks_add_up,
    of_tables.a_flag_is_silent,
    of_tables.a_card_is_the_game,
    of_tables.a_score_board_is_what_was_captured,
    of_tables.a_command_is_carried_out_once,
    of_the_head.the_audit_trail_is_whole,
    of_the_head.every_round_is_clean,
    of_the_head.every_round_is_the_best_there_was,
    of_the_head.there_is_a_champion,
    of_the_head.the_standings_are_the_results,
    of_the_head.a_game_counts_once,
    of_the_federation.a_federation_has_the_hall,
    of_the_federation.a_venues_rows_are_its_own,
    of_the_federation.a_venue_is_the_fold_of_its_rows,
)
