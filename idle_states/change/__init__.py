"""The effects of a change: reviews, patches, boots."""
