"""What does this data release let anyone learn about a person?"""
