"""The search: an instance, a portfolio of operators, a selector and a stopping criterion in, a result out."""
