"""What leaves the head: all files of an event that is over, in one zip; the record, at another place."""
