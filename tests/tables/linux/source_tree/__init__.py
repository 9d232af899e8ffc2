"""Kernels by their source trees."""
