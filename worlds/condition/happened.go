package condition

import "fmt"

// Happened holds from the step on in which an event has happened the given number of times.
type Happened struct {
	Event string `toml:"event" required:"true" doc:"name of an event"`
	Times int    `toml:"times" range:"[0, 1000000]" doc:"smallest number of times; 1 if left out"`
}

func (c *Happened) Validate(w World) error { return violation("event", c.Event, w.FindEvent(c.Event)) }

func (c *Happened) Bind(s State) (Test, error) {
	event, err := s.Event(c.Event)
	return Test{func() bool { return event.Count >= max(c.Times, 1) }, func() string {
		if event.Count == 0 {
			return "event " + c.Event + " has not happened"
		}
		return fmt.Sprintf("event %s happened %s, last at %.3f s", c.Event, TimesText(event.Count),
			event.Last.Seconds())
	}}, err
}

func (c *Happened) String() string {
	if c.Times > 1 {
		return fmt.Sprintf("event %s happened %s", c.Event, TimesText(c.Times))
	}
	return "event " + c.Event + " happened"
}

// Needs lists the events that must happen before the condition can hold: the event of `happened`, or the events of all
// members of `all`. A `happened` inside `any` or `not` is left out, because the condition can hold without it.
func (c *Choice) Needs() (events []string) {
	if c == nil {
		return nil
	}
	if c.Happened != nil {
		events = append(events, c.Happened.Event)
	}
	for i := range c.All {
		events = append(events, c.All[i].Needs()...)
	}
	return events
}

// TimesText returns a count of repetitions in words.
func TimesText(n int) string {
	switch n {
	case 1:
		return "once"
	case 2:
		return "twice"
	}
	return fmt.Sprintf("%d times", n)
}
