0 1 a
0 1 b Infinity
1
