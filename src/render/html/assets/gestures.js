// Hands on the picture: mouse, fingers, wheel and keys.

/** So far a finger may slip in a tap, pixels. */
const TAP = 6;

function gestures(view) {
  const { canvas } = view;
  /** Where each finger (or the mouse) that is down was last. */
  const down = new Map();
  let way = 0;
  // A drag does not take the keys away from the time: only the tab key brings the focus here.
  canvas.addEventListener("mousedown", (event) => event.preventDefault());
  canvas.addEventListener("pointerdown", (event) => {
    if (document.activeElement !== canvas) document.activeElement?.blur();
    canvas.setPointerCapture(event.pointerId);
    if (down.size === 0) way = 0;
    down.set(event.pointerId, [event.clientX, event.clientY]);
    view.tip.hidden = true;
  });
  const up = (event) => {
    // A tap names what lies there, as resting the mouse does.
    if (event.type === "pointerup" && event.pointerType !== "mouse" && down.size === 1 && way < TAP) view.hover(event);
    down.delete(event.pointerId);
  };
  for (const type of ["pointerup", "pointercancel", "lostpointercapture"]) canvas.addEventListener(type, up);
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  canvas.addEventListener("pointermove", (event) => {
    const last = down.get(event.pointerId);
    if (!last) return event.pointerType === "mouse" ? view.hover(event) : undefined;
    const now = [event.clientX, event.clientY];
    down.set(event.pointerId, now);
    const [dx, dy] = [now[0] - last[0], now[1] - last[1]];
    way += Math.hypot(dx, dy);
    if (down.size === 2) {
      // Of two fingers one stays while the other moves: half of its way moves, what it opens zooms.
      const other = [...down].find(([id]) => id !== event.pointerId)[1];
      const open = (p) => Math.max(Math.hypot(p[0] - other[0], p[1] - other[1]), 1);
      view.pan(dx / 2, dy / 2);
      view.zoom(open(last) / open(now));
    } else if (down.size === 1) {
      if (event.shiftKey || event.buttons & 6) view.pan(dx, dy);
      else view.orbit(-dx * 0.008, dy * 0.008);
    }
  });
  canvas.addEventListener("pointerleave", (event) => { if (event.pointerType === "mouse") view.tip.hidden = true; });
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    view.zoom(Math.exp(clamp(event.deltaY, -200, 200) * 0.0015));
  }, { passive: false });
  canvas.addEventListener("keydown", (event) => {
    const act = {
      ArrowLeft: () => view.orbit(-0.1, 0), ArrowRight: () => view.orbit(0.1, 0),
      ArrowUp: () => view.orbit(0, 0.1), ArrowDown: () => view.orbit(0, -0.1),
      "+": () => view.zoom(0.85), "=": () => view.zoom(0.85), "-": () => view.zoom(1 / 0.85), 0: () => view.fitAll(),
    }[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
}
