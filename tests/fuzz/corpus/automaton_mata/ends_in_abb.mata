@NFA-explicit
%States-enum q0 q1 q2 q3
%Alphabet-enum a b
%Initial q0
%Final q3
q0 a q0
q0 a q1
q0 b q0
q1 b q2
q2 b q3
