/PROG  PICK
/ATTR
DEFAULT_GROUP	= 1,*,*,*,*;
/MN
   1:  UFRAME_NUM=1 ;
   2:  UTOOL_NUM=1 ;
   3:J P[1:home] 50% FINE ;
   4:L P[2:part] 250mm/sec CNT50 ;
   5:L P[2:part] 50mm/sec FINE ;
   6:  RO[1]=ON ;
/POS
P[1:"home"]{
   GP1:
	UF : 1, UT : 1,
	J1= 0.000 deg,	J2= 0.000 deg,	J3= 0.000 deg,
	J4= 0.000 deg,	J5= -90.000 deg,	J6= 0.000 deg
};
P[2:"part"]{
   GP1:
	UF : 1, UT : 1,		CONFIG : 'N U T, 0, 0, 0',
	X = 500.000  mm,	Y = 0.000  mm,	Z = 50.000  mm,
	W = 180.000 deg,	P = 0.000 deg,	R = 0.000 deg
};
/END
