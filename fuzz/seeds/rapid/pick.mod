MODULE Example
  CONST robtarget pPick:=[[500,0,400],[0,1,0,0],[0,0,0,0],[9E9,9E9,9E9,9E9,9E9,9E9]];
  CONST jointtarget jHome:=[[0,-20,30,0,80,0],[9E9,9E9,9E9,9E9,9E9,9E9]];
  PERS tooldata tGrip:=[TRUE,[[0,0,120],[1,0,0,0]],[1,[0,0,60],[1,0,0,0],0,0,0]];
  PROC main()
    MoveAbsJ jHome,v500,z50,tGrip;
    FOR i FROM 0 TO 1 DO
      MoveJ Offs(pPick,0,i*80,100),v500,z10,tGrip;
      MoveL Offs(pPick,0,i*80,0),v100,fine,tGrip;
      SetDO doGrip,1;
    ENDFOR
  ENDPROC
ENDMODULE
