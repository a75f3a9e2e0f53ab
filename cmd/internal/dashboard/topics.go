package dashboard

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
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

// topicList gets topics once for clients that ask at about the same time.
type topicList struct {
	ask func(context.Context) ([]Topic, error) // nil: there are no topics

	mu   sync.Mutex
	came time.Time
	all  []Topic
	err  error
}

// get returns the topics.
func (l *topicList) get(ctx context.Context) ([]Topic, error) {
	l.mu.Lock() // concurrent requests share the answer
	defer l.mu.Unlock()
	if l.came.IsZero() || time.Since(l.came) > topicsFresh {
		ctx, cancel := context.WithTimeout(ctx, topicsTime)
		defer cancel()
		l.all, l.err = l.ask(ctx)
		l.came = time.Now()
	}
	return l.all, l.err
}

func (s *simServer) serveTopics(w http.ResponseWriter, r *http.Request) {
	filter := strings.ToLower(r.URL.Query().Get("filter"))
	if len(filter) > mostFilter {
		refuse(w, fmt.Errorf("filter: has %d bytes: must have at most %d", len(filter), mostFilter))
		return
	}
	j := topicsJSON{Time: s.sim.Clock().Time().Seconds(), Topics: []topicJSON{}}
	if s.topics.ask == nil {
		j.About = "There are no topics: the run has no ROS (--ros1 off), or is a replay."
		answer(w, http.StatusOK, j)
		return
	}
	all, err := s.topics.get(s.ctx) // s.ctx: the result is shared, even if this client disconnects
	if err != nil {
		answer(w, http.StatusServiceUnavailable, errorJSON{err.Error()})
		return
	}
	for i := range all {
		t := &all[i]
		if !t.has(filter) {
			continue
		}
		if len(j.Topics) == mostTopics {
			j.LeftOut++
			continue
		}
		j.Topics = append(j.Topics, t.json())
	}
	answer(w, http.StatusOK, j)
}

// has reports whether the topic's name, type, robot or any publisher contains a text, without regard to case. The text
// must be in lower case.
func (t *Topic) has(text string) bool {
	contains := func(s string) bool { return strings.Contains(strings.ToLower(s), text) }
	if contains(t.Name) || contains(t.Type) || contains(t.Robot) {
		return true
	}
	for _, p := range t.Publishers {
		if contains(p) {
			return true
		}
	}
	return false
}

func (t *Topic) json() topicJSON {
	j := topicJSON{Master: t.Robot, Name: t.Name, Type: t.Type,
		Publishers: t.Publishers[:min(len(t.Publishers), mostPublishers)], Listeners: len(t.Listeners),
		Last: rounded(t.Last.Seconds())}
	if j.Publishers == nil {
		j.Publishers = []string{}
	}
	if t.Measured {
		j.Rate = new(rounded(t.Rate))
	}
	return j
}
