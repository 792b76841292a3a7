"""What happened and what was decided: events, the log, and the pure decision core."""
