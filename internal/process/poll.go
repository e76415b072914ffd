package process

import "time"

// poll calls done until it is true, first at once, then at growing intervals,
// at most until deadline. It reports the last answer.
func poll(deadline time.Time, done func() bool) bool {
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		if done() {
			return true
		}
		left := time.Until(deadline)
		if left <= 0 {
			return false
		}
		time.Sleep(min(pause, left))
	}
}
