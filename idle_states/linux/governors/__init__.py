"""cpuidle governors: which state a kernel selects, decision by decision.

Each governor is a plain-Python reference that reads like the specification; its behaviour by
release is a set of features (menu_features.py, teo_features.py, ladder_features.py).
"""
