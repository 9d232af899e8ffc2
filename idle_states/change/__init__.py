"""What a change does: reviews, patches, boots."""
