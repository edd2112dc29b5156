"""What people and other programs get of a plan: rows and tables, GeoJSON, a page, the words that a result prints."""
