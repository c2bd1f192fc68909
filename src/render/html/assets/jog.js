// Joint values: as the motion has them, or as the reader moves them.

/** Where a joint may go while it is jogged: its limits, else a turn (or a metre) to either side. */
function jogRange({ range, slides }, now) {
  const limits = range && range.every(Number.isFinite) && range[0] < range[1];
  return limits ? range : [now - (slides ? 1 : Math.PI), now + (slides ? 1 : Math.PI)];
}

/** Joints that follow others get the value that these give them. */
function follow(q) {
  model.joints.forEach(({ follows }, j) => {
    if (follows) q[j] = follows[1] * q[follows[0]] + follows[2];
  });
}

/** Where one goes back to. */
const back = () => data.cell ? "Back to the pose" : "Back to the motion";

/** Takes over from the motion: from here on the reader's values place the bodies. Nothing is checked for them. */
function startJogging() {
  player.playing = false;
  player.set(player.time);
  shown.jog = shown.motion.configuration(player.time);
  pose();
}

/** Back to the motion, at the time that it had. */
function stopJogging() {
  if (!shown.jog) return;
  shown.jog = null;
  pose();
}

/** One joint, within its limits. */
function jog(j, value) {
  if (!shown.jog) startJogging();
  shown.jog[j] = value;
  follow(shown.jog);
  pose();
}

/** The values of all joints now: jogged ones, or those of the motion. */
const configuration = () => shown.jog ?? shown.motion.configuration(player.time);

/** The card of joint values; with sliders while they are jogged. */
function jointsCard(motion) {
  const rows = model.joints.map((joint, j) => ({ joint, j })).filter(({ joint, j }) => !joint.follows || motion.moving.includes(j));
  if (!rows.length) return card("Joints now", null, el("p", { class: "note" }, "The cell has no joints."));
  const box = el("div", { class: "joints" });
  const updates = rows.map(({ joint, j }) => jointRow(box, motion, joint, j));
  const button = el("button", { type: "button", id: "jog", onclick: () => shown.jog ? stopJogging() : startJogging() });
  const note = el("p", { class: "note jog-note" }, data.cell ? "Nothing is checked here." : "Nothing is checked while you jog: the findings are those of the motion.");
  const part = card("Joints now", note, box, button);
  shown.told = () => {
    const q = configuration(), jogged = Boolean(shown.jog);
    note.hidden = !jogged;
    button.textContent = jogged ? back() : "Jog the joints";
    part.classList.toggle("jogging", jogged);
    for (const update of updates) update(q, jogged);
  };
  return part;
}

/** A row of that card: gives what brings it up to date. */
function jointRow(box, motion, joint, j) {
  const { range, slides } = joint;
  const unit = slides ? 1e-3 : Math.PI / 180;
  const value = el("span", { class: "value" });
  const knob = el("i");
  const bar = el("span", { class: "range" }, range && knob);
  // A joint that follows another one cannot be moved by itself.
  const slider = joint.follows ? null : el("input", {
    type: "range", step: "any", "aria-label": `Jog ${joint.name}`,
    oninput: () => jog(j, Number(slider.value)),
    onkeydown: (event) => {
      const step = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[event.key];
      if (!step) return;
      event.preventDefault();
      jog(j, clamp(configuration()[j] + step * unit * (event.shiftKey ? 0.1 : 1), Number(slider.min), Number(slider.max)));
    },
  });
  box.append(el("div", { class: motion.moving.includes(j) ? null : "still", title: range ? `${joint.name}: ${jointValue(range[0], slides)} … ${jointValue(range[1], slides)}` : `${joint.name}: no limits` },
    el("span", { class: "name" }, joint.name), bar, slider, value));
  let was = false;
  return (q, jogged) => {
    value.textContent = jointValue(q[j], slides);
    bar.hidden = jogged && slider !== null;
    if (slider) {
      slider.hidden = !jogged;
      if (jogged && !was) [slider.min, slider.max] = jogRange(joint, q[j]);
      if (jogged) slider.value = q[j];
      was = jogged;
    }
    if (!range) return;
    const share = (q[j] - range[0]) / (range[1] - range[0]);
    knob.style.left = `${100 * clamp(share, 0, 1)}%`;
    knob.className = share < -1e-6 || share > 1 + 1e-6 ? "beyond" : "";
  };
}
