0 1 <eps>
1
