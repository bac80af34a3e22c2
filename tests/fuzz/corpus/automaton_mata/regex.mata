@NFA-explicit
%States-enum q0 q1 q2 q3 q4 q5 q6 q7 q8 q9 q10 q11
%Alphabet-enum a b
%Initial q0
%Final q1 q3 q5 q7 q8 q9 q11
q0 a q3
q0 b q7
q2 a q3
q4 b q7
q6 b q7
q7 a q11
q8 a q11
q10 a q11
q11 a q11
