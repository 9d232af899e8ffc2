"""Power of idle states: figures and their sources, energy of idle periods, break-even points."""
