"""What sees stages and rules together: checking sources, comparing two of them."""
