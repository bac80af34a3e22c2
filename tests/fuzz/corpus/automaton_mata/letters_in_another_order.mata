@NFA-explicit
%States-enum q0 q1 q2 q3 q4 q5 q6 q0 q8 -9 q10 q11
%Alphabet-enum q0 q8 -9 q10 q11
%Alphabet-enu@NFm a A-exp