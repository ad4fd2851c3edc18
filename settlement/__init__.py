"""What is owed: the project package and the topmost app."""
