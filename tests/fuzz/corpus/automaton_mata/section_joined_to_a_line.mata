@NFA-explicit \
foo
