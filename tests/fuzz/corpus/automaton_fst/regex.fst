0	2	<eps>
0	4	<eps>
1
2	3	a
3	1	<eps>
4	6	<eps>
5	1	<eps>
6	7	b
7	8	<eps>
8	10	<eps>
8	9	<eps>
9	5	<eps>
10	11	a
11	8	<eps>
