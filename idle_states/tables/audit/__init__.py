"""audit: everything there is to say about trees, images, dumps and logs from the field."""
