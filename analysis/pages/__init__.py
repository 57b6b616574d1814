"""A report as a page: its figures, its tables, its sections, and the HTML that holds them."""
