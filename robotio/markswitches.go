package robotio

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/omnipitch/omnipitch/physics/rules"
	"github.com/omnipitch/omnipitch/robotio/quantity"
	"github.com/omnipitch/omnipitch/robotio/wire"
)

// markSwitches hides groups of shapes in the marked images of a topic. The switches are ROS parameters below the
// topic's name, for example /cyan1/front/image_marked/lines. A parameter that is false hides its group, and without a
// parameter the group is shown.
type markSwitches struct {
	mu     sync.Mutex
	hidden map[string]bool // does not change; a new map replaces it
	asked  time.Time       // wall time of the last request for the parameters
	said   string          // newest error that was reported
}

// markSwitchPeriod is the wall time between requests for the parameters, while the topic has subscribers. 0.5 s is a
// guess: a user who has switched a group waits for the next image anyway.
const markSwitchPeriod = 500 * time.Millisecond

// hiddenNow returns the groups that are hidden, and requests the parameters from time to time.
func (m *markSwitches) hiddenNow(p *topicPublisher) map[string]bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if time.Since(m.asked) > markSwitchPeriod {
		m.asked = time.Now()
		p.bridge.calls.Go(func() { m.request(p) })
	}
	return m.hidden
}

// request reads the parameters. It reports an error only once while it stays the same.
func (m *markSwitches) request(p *topicPublisher) {
	value, err := p.node.GetParam(p.Name)
	var hidden map[string]bool
	if err == nil {
		hidden, err = hiddenMarks(p.Name, value)
	} else if errors.Is(err, wire.ErrNoParam) {
		err = nil
	}
	said := ""
	if err != nil {
		said = err.Error()
	}
	m.mu.Lock()
	fresh := said != m.said && p.bridge.ctx.Err() == nil
	m.hidden, m.said = hidden, said
	m.mu.Unlock()
	if fresh && err != nil {
		p.bridge.refused(err)
	}
}

// hiddenMarks returns the groups that the parameters below a name hide. Groups with wrong values are shown.
func hiddenMarks(name string, value any) (hidden map[string]bool, err error) {
	table, ok := value.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("parameter %s = %v: must be a table of true and false for %s", name, value,
			strings.Join(quantity.MarkGroups, ", "))
	}
	hidden = map[string]bool{}
	var errs []error
	for group, value := range table {
		shown, ok := value.(bool)
		switch {
		case !slices.Contains(quantity.MarkGroups, group):
			rule := "must be one of " + strings.Join(quantity.MarkGroups, ", ")
			if near := rules.Nearest(group, quantity.MarkGroups); near != "" {
				rule = fmt.Sprintf("is unknown, did you mean %s?", near)
			}
			errs = append(errs, fmt.Errorf("parameter %s/%s: %s", name, group, rule))
		case !ok:
			errs = append(errs, fmt.Errorf("parameter %s/%s = %v: must be true or false", name, group, value))
		default:
			hidden[group] = !shown
		}
	}
	slices.SortFunc(errs, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return hidden, errors.Join(errs...)
}
