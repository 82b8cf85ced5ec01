"""Output of the head to other places: the event's archive, the published tournament, the broadcast."""
