"""The page in a real browser. One browser and one service serve all of these tests."""
