"""The contract suite, for methods of one's own."""
