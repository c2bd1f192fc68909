/PROG  WELD
/ATTR
DEFAULT_GROUP	= 1,*,*,*,*;
/MN
   1:  UFRAME_NUM=1 ;
   2:  UTOOL_NUM=1 ;
   3:J P[1] 50% CNT0 ACC100 TB    .10sec,P-SPS    ;
      1:  TC_ONLINE (ON) ;
      2:  IF (DI[1] AND !F[2]),R[1]=2 ;
      3:  WAIT (DI[23])    ;
       ------ ;
   4:  WAIT DI[2]=ON TIMEOUT,LBL[1] ;
   5:J P[1] 50% FINE TA .50sec,DO[1]=ON ;
   6:  LBL[1] ;
/POS
P[1]{
   GP1:
	UF : 1, UT : 1,
	J1= 10.000 deg,	J2= 20.000 deg,	J3= -30.000 deg,
	J4= 40.000 deg,	J5= -50.000 deg,	J6= 60.000 deg
};
/END
