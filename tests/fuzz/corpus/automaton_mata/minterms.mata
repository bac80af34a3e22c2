@NFA-bits
%Alphabet-auto
%Initial p
%Final q r
p a0 & !a9 | (a10 & \true) q
q !(a3 | a11) r
r \false p
r a0 & a1 & a2 q
