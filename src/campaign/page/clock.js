// Time spent on a task. It stops while the page is hidden, during a break, and so many seconds after the last
// activity.
const IDLE = 60;

const clock = {
  spent: 0, since: null, alive: performance.now(), broken: false,

  begin(spent) {
    this.spent = spent;
    this.alive = performance.now();
    this.since = document.hidden || this.broken ? null : this.alive;
  },
  // Up to now, or to when it stopped for want of activity.
  seconds() {
    const until = Math.min(performance.now(), this.alive + 1000 * IDLE);
    const running = this.since === null ? 0 : Math.max(0, until - this.since) / 1000;
    return Math.round(10 * (this.spent + running)) / 10;
  },
  stop() {
    this.spent = this.seconds();
    this.since = null;
  },
  go() {
    if (!document.hidden && !this.broken) this.begin(this.spent);
  },
  moved() {
    const now = performance.now();
    if (this.since !== null && now > this.alive + 1000 * IDLE) this.stop();
    this.alive = now;
    if (this.since === null) this.go();
  },
  isIdle() { return this.since !== null && performance.now() > this.alive + 1000 * IDLE; },
};
for (const event of ["keydown", "pointerdown", "pointermove", "wheel", "scroll", "touchmove", "input"]) {
  addEventListener(event, () => clock.moved(), { passive: true, capture: true });
}
document.addEventListener("visibilitychange", () => document.hidden ? clock.stop() : clock.go());
