package tcpros

import (
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/testdata/must"
)

// TestStalled checks that a peer counts as stalled only if it reads nothing for long although its machine answers and
// data wait.
func TestStalled(t *testing.T) {
	const s = time.Second
	for name, c := range map[string]struct {
		then []sendState // one second apart
		want bool
	}{
		"idle":         {[]sendState{{}, {}, {}, {}}, false},
		"full":         {[]sendState{{false, 0, true, 5}, {false, s / 2, true, 5}, {false, s, true, 5}}, true},
		"full a while": {[]sendState{{false, 0, true, 5}, {false, s / 2, true, 5}}, false},
		"slow": {[]sendState{{false, 0, true, 5}, {false, 0, true, 6}, {false, 0, true, 7},
			{false, 0, true, 8}}, false},
		"again": {[]sendState{{false, 0, true, 5}, {false, 0, true, 5}, {false, 0, true, 5},
			{false, 0, true, 6}}, false},
		"out of reach": {[]sendState{{false, s / 2, true, 5}, {false, 3 * s / 2, true, 5}, {false, 5 * s / 2, true, 5},
			{false, 7 * s / 2, true, 5}}, false},
	} {
		var l SubscriberLink
		now := time.Unix(1000, 0)
		for _, state := range c.then {
			l.record(state, now)
			now = now.Add(s)
		}
		must.Equal(t, l.stalled.Load(), c.want, "%s: stalled", name)
	}
}
