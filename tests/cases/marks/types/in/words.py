word = "tide"
