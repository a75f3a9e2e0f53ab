package condition

import "fmt"

// Happened holds from the step on in which an event has happened, or has happened so often.
type Happened struct {
	Event string `toml:"event" required:"true" doc:"the name of an event"`
	Times int    `toml:"times" range:"[0, 1000000]" doc:"at least so often; once if left out"`
}

func (c *Happened) Validate(w World) error { return wrong("event", c.Event, w.FindEvent(c.Event)) }

func (c *Happened) Bind(s State) (Test, error) {
	event, err := s.Event(c.Event)
	return Test{func() bool { return event.Count >= max(c.Times, 1) }, func() string {
		if event.Count == 0 {
			return "event " + c.Event + " has not happened"
		}
		return fmt.Sprintf("event %s happened %d times, last at %.3f s", c.Event, event.Count, event.Last.Seconds())
	}}, err
}

func (c *Happened) String() string {
	if c.Times > 1 {
		return fmt.Sprintf("event %s happened %d times", c.Event, c.Times)
	}
	return "event " + c.Event + " happened"
}
