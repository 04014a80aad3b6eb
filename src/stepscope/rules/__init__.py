"""What to change, from the analyses: one file a rule, listed in all_rules.py, judged by judge.py."""
