"""What an erasure takes, found out from what somebody wants gone, and its way out of the read models."""
