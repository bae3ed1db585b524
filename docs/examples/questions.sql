SELECT COUNT(*) FROM people WHERE age < 40 AND condition <> 'none';
SELECT region, COUNT(*) FROM people WHERE age < 40 AND condition = 'none' GROUP BY region;
SELECT region, COUNT(*) FROM people WHERE age >= 40 GROUP BY region
