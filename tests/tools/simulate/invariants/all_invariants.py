"""The invariants of a hall, each a function with its name (docs/develop/testing.md lists them).

An invariant inspects the real programs and the recorded history of the world, and changes nothing. It returns None, or
a sentence that describes the violation.
"""

from __future__ import annotations

from simulate.invariants import federation_invariants, head_invariants, table_invariants

ON_THE_WAY = (
    table_invariants.saved_is_never_lost,
    head_invariants.acknowledged_is_in_the_store,
    head_invariants.a_game_is_at_one_table,
    table_invariants.the_journal_gives_the_game,
    head_invariants.the_heads_picture_is_the_tables,
    federation_invariants.what_a_federation_has_it_keeps,
)
AT_THE_END = (
    *ON_THE_WAY,
    table_invariants.clocks_add_up,
    table_invariants.a_flag_is_silent,
    table_invariants.a_card_is_the_game,
    table_invariants.a_score_board_is_what_was_captured,
    table_invariants.a_command_is_carried_out_once,
    head_invariants.the_audit_trail_is_whole,
    head_invariants.every_round_is_clean,
    head_invariants.every_round_is_the_best_there_was,
    head_invariants.there_is_a_champion,
    head_invariants.the_standings_are_the_results,
    head_invariants.a_game_counts_once,
    federation_invariants.a_federation_has_the_hall,
    federation_invariants.a_venues_rows_are_its_own,
    federation_invariants.a_venue_is_the_fold_of_its_rows,
)
