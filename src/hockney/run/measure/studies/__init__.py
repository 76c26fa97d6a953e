"""Plans of many cases or steps, where results decide what is measured next."""
