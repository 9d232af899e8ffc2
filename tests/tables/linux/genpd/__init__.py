"""genpd: power domains of CPUs."""
