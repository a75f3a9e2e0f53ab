package worlds

// circles returns for the name of each event the number of the circle of events that it belongs to. The events of a
// circle wait for each other, directly or by way of other events. The number is 0 if the event waits neither for itself
// nor for an event that waits for it. Only events that must happen first count: an event that is only an alternative in
// a condition need not happen first. Circles are the strongly connected components of the graph of events, which
// circles finds in linear time. Source: Tarjan, Depth-first search and linear graph algorithms, 1972.
func (w *World) circles() map[string]int {
	causes := make(map[string][]string, len(w.Events)) // names of the events for which an event waits
	for i := range w.Events {
		if e := &w.Events[i]; e.Name != "" {
			causes[e.Name] = append(append(causes[e.Name], e.After), e.When.Needs()...)
		}
	}
	circles := make(map[string]int, len(causes))
	order := make(map[string]int, len(causes)) // in which the search reached an event, from 1
	var open []string                          // events whose component is unknown
	var visit func(name string) (first int)    // returns the first event in order that name waits for
	visit = func(name string) int {
		order[name] = len(order) + 1
		first, at, itself := order[name], len(open), false
		open = append(open, name)
		for _, cause := range causes[name] {
			itself = itself || cause == name
			switch _, known := causes[cause]; {
			case !known:
			case order[cause] == 0:
				first = min(first, visit(cause))
			case order[cause] > 0:
				first = min(first, order[cause])
			}
		}
		if first < order[name] {
			return first
		}
		number := 0
		if len(open)-at > 1 || itself {
			number = order[name]
		}
		for _, member := range open[at:] {
			circles[member] = number
			order[member] = -1
		}
		open = open[:at]
		return first
	}
	for name := range causes {
		if order[name] == 0 {
			visit(name)
		}
	}
	return circles
}
