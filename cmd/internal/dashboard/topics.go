package dashboard

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Topic is a topic of the simulation or of robots' programs.
type Topic struct {
	// the robot to whose own ROS master the topic belongs; empty: the topic belongs to the common master
	Robot      string
	Name, Type string
	Publishers []string
	Listeners  []string
	Measured   bool          // reports whether Rate is known
	Rate       float64       // messages per second of sim time, recently
	Last       time.Duration // stamp of the newest message; 0: none
}

// topicsJSON is the list of topics.
type topicsJSON struct {
	Time    float64     `json:"time_s"`
	About   string      `json:"about,omitempty"` // why there are no topics
	Topics  []topicJSON `json:"topics"`
	LeftOut int         `json:"left_out,omitempty"`
}

type topicJSON struct {
	Master     string   `json:"master,omitempty"` // the robot to whose own ROS master the topic belongs
	Name       string   `json:"name"`
	Type       string   `json:"type"`
	Publishers []string `json:"publishers"`
	Listeners  int      `json:"listeners"`
	Rate       *float64 `json:"rate_hz,omitempty"` // missing if unknown
	Last       float64  `json:"last_s,omitempty"`
}

// Limits of answers. The values are guesses: ten robots have about 900 topics.
const (
	mostTopics     = 4000
	mostPublishers = 20 // largest number of listed publishers of a topic
	mostFilter     = 200
)

// topicsFresh is the wall time for which an answer is reused.
const topicsFresh = time.Second

// topicsTime is the wall time that masters have to answer.
const topicsTime = 2 * time.Second

func (s *simServer) topics(r *http.Request) (any, error) {
	filter := strings.ToLower(r.URL.Query().Get("filter"))
	if len(filter) > mostFilter {
		return nil, fmt.Errorf("filter: has %d bytes: must have at most %d", len(filter), mostFilter)
	}
	j := topicsJSON{Time: s.sim.Clock().Time().Seconds(), Topics: []topicJSON{}}
	if s.askTopics == nil {
		j.About = "There are no topics: the run has no ROS (--ros1 off), or is a replay."
		return j, nil
	}
	all, err := s.newTopics.get(topicsFresh, func() ([]Topic, error) {
		ctx, cancel := context.WithTimeout(s.ctx, topicsTime)
		defer cancel()
		return s.askTopics(ctx)
	})
	if err != nil {
		return nil, statusError{err, http.StatusServiceUnavailable}
	}
	for i := range all {
		switch t := &all[i]; {
		case !t.has(filter):
		case len(j.Topics) == mostTopics:
			j.LeftOut++
		default:
			j.Topics = append(j.Topics, t.json())
		}
	}
	return j, nil
}

// has reports whether the topic's name, type, robot or any publisher contains a text, without regard to case. The text
// must be in lower case.
func (t *Topic) has(text string) bool {
	contains := func(s string) bool { return strings.Contains(strings.ToLower(s), text) }
	return contains(t.Name) || contains(t.Type) || contains(t.Robot) || slices.ContainsFunc(t.Publishers, contains)
}

func (t *Topic) json() topicJSON {
	j := topicJSON{Master: t.Robot, Name: t.Name, Type: t.Type,
		Publishers: append([]string{}, t.Publishers[:min(len(t.Publishers), mostPublishers)]...),
		Listeners:  len(t.Listeners), Last: rounded(t.Last.Seconds())}
	if t.Measured {
		j.Rate = new(rounded(t.Rate))
	}
	return j
}
