"""The theorems of Kasiviswanathan & Smith, On the "Semantics" of Differential Privacy."""
