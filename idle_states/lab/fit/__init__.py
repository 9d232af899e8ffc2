"""Advertised values made of measured ones, and what is true of those advertised today."""
