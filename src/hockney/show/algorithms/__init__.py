"""Shows algorithms of collectives: their phases, late ranks, and times beside predicted ones."""
