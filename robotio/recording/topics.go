package recording

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/ros1/graph"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
)

// ROSChannel adds a topic whose messages def defines, as the node callerid publishes them, with the metadata of MCAP's
// profile ros1.
func (w *Writer) ROSChannel(topic string, def *msg.Definition, callerid string, latching bool) (*Channel, error) {
	return w.Channel(topic, Schema{def.Name, def.Text}, map[string]string{"callerid": callerid,
		"latching": strconv.FormatBool(latching), "md5sum": def.MD5})
}

// TopicsConfig says which topics of a graph are recorded, and how.
type TopicsConfig struct {
	Patterns Patterns
	Images   ImageFormat // of topics of sensor_msgs/Image
	Off      bool        // nothing is recorded until Switch
	// Now returns the log time and the publish time of a message that arrives. It is called from many goroutines.
	Now func() (logTime, publishTime time.Duration)
}

// Validate reports every value that is out of range.
func (c TopicsConfig) Validate() error {
	return errors.Join(c.Images.Validate(), c.Patterns.Validate())
}

// Topics records what is published in a graph.
type Topics struct {
	writer *Writer
	node   *ros1.Node
	cfg    TopicsConfig
	match  *regexp.Regexp
	cancel context.CancelFunc
	done   chan struct{}
	on     atomic.Bool

	mu    sync.Mutex
	wake  context.CancelFunc          // has the graph be looked at now
	subs  map[string]*ros1.Subscriber // by topic
	taps  map[string]*tap             // by topic
	graph *graph.State                // as it was last
	tried bool                        // it has been looked at while they were on
}

// pollTime is how often the graph is looked at for new topics, wall time. A guess.
const pollTime = 500 * time.Millisecond

// Topics has a node subscribe to the topics that match, also to those that come later, and records their messages byte
// for byte as a subscriber gets them, a channel for each publisher. A topic that somebody subscribes to is subscribed
// to before it has a publisher, so that its first message is recorded. Nothing is subscribed to while they are switched
// off. The caller closes the Topics before the Writer and the node. It fails when the master does not answer.
func (w *Writer) Topics(n *ros1.Node, c TopicsConfig) (*Topics, error) {
	if err := c.Validate(); err != nil {
		return nil, fmt.Errorf("recording %s: %w", w.file.out.Path(), err)
	}
	t := &Topics{writer: w, node: n, cfg: c, match: c.Patterns.Compile(), subs: map[string]*ros1.Subscriber{},
		taps: map[string]*tap{}, done: make(chan struct{})}
	t.on.Store(!c.Off)
	var ctx context.Context
	ctx, t.cancel = context.WithCancel(w.ctx)
	if err := t.poll(ctx); err != nil {
		t.cancel()
		close(t.done)
		return nil, errors.Join(fmt.Errorf("recording %s: %w", w.file.out.Path(), err), t.Close())
	}
	go t.run(ctx)
	return t, nil
}

// run follows the graph, and Switch.
func (t *Topics) run(ctx context.Context) {
	defer close(t.done)
	wall := t.writer.opts.Wall
	for ctx.Err() == nil {
		var waiting context.Context
		t.mu.Lock()
		waiting, t.wake = context.WithCancel(ctx)
		t.mu.Unlock()
		if t.on.Load() {
			_ = t.poll(ctx) // a master that does not answer will be asked again
		} else {
			_ = t.leave()
		}
		wall.Wait(waiting, wall.Now()+pollTime)
		t.wake() // frees what it has
	}
}

// Switch has the topics recorded or not, and returns at once. What comes until they are subscribed to is not recorded.
func (t *Topics) Switch(on bool) {
	t.on.Store(on)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.wake != nil {
		t.wake()
	}
}

// poll subscribes to what is new in the graph.
func (t *Topics) poll(ctx context.Context) error {
	g, err := t.node.Graph(ctx)
	if err != nil {
		return err
	}
	var topics []string
	for _, by := range []map[string][]string{g.Publishers, g.Subscribers} {
		for topic := range by {
			if t.on.Load() && t.match.MatchString(topic) && !t.compresses(topic, g) {
				topics = append(topics, topic)
			}
		}
	}
	slices.Sort(topics)
	var errs []error
	for _, topic := range slices.Compact(topics) {
		t.mu.Lock()
		_, there := t.subs[topic]
		t.mu.Unlock()
		if there {
			continue
		}
		sub, err := ros1.SubscribeRaw(t.node, topic, t.tap(topic).write)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		sub.Confirm()
		t.mu.Lock()
		t.subs[topic] = sub
		t.mu.Unlock()
	}
	t.mu.Lock()
	t.graph, t.tried = g, t.tried || t.on.Load()
	t.mu.Unlock()
	return errors.Join(errs...)
}

// Unmatched returns the patterns that no topic has matched so far; none while the topics have been switched off from
// the beginning.
func (t *Topics) Unmatched() (all []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, pattern := range t.cfg.Patterns {
		match := Patterns{pattern}.Compile()
		if matched := slices.ContainsFunc(slices.Collect(maps.Keys(t.taps)), match.MatchString); t.tried && !matched {
			all = append(all, pattern)
		}
	}
	return all
}

// compresses tells whether a topic has a publisher's own compressed images of one whose images are recorded compressed,
// under the same name.
func (t *Topics) compresses(topic string, g *graph.State) bool {
	base, ok := strings.CutSuffix(topic, "/compressed")
	return ok && t.cfg.Images != RawImages && g.Publishers[base] != nil && t.match.MatchString(base)
}

// Connected says whether all publishers of the topics list their connections, as the graph was last looked at: what
// they publish from then on is recorded.
func (t *Topics) Connected() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	for topic, sub := range t.subs {
		if len(sub.Connections()) < len(t.graph.Publishers[topic]) {
			return false
		}
	}
	return true
}

// origin tells publishers of a topic apart; one that comes back is the same.
type origin struct {
	publisher, typ, md5 string
	latched             bool
}

// sink takes messages: a Channel or an Images.
type sink interface {
	Write(logTime, publishTime time.Duration, data []byte)
}

// tap records the messages of a topic.
type tap struct {
	topics *Topics
	topic  string

	mu     sync.Mutex // a subscriber that was closed may still call
	newest *ros1.Source
	to     sink // of newest
	sinks  map[origin]sink
}

func (t *Topics) tap(topic string) *tap {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.taps[topic] == nil {
		t.taps[topic] = &tap{topics: t, topic: topic, sinks: map[origin]sink{}}
	}
	return t.taps[topic]
}

// write records a message.
func (x *tap) write(from *ros1.Source, b []byte) {
	t := x.topics
	if !t.on.Load() {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if from != x.newest {
		key := origin{from.Publisher, from.Def.Name, from.Def.MD5, from.Latched}
		if x.sinks[key] == nil {
			s, err := t.sink(x.topic, from)
			if err != nil {
				t.writer.end(err)
				return
			}
			x.sinks[key] = s
		}
		x.newest, x.to = from, x.sinks[key]
	}
	logTime, publishTime := t.cfg.Now()
	x.to.Write(logTime, publishTime, b)
}

func (t *Topics) sink(topic string, from *ros1.Source) (sink, error) {
	if t.cfg.Images != RawImages && from.Def.Name == imageType {
		return t.writer.Images(topic, t.cfg.Images, from.Def, from.Publisher)
	}
	return t.writer.ROSChannel(topic, from.Def, from.Publisher, from.Latched)
}

// Close leaves all topics. What has arrived is recorded. It fails when the master does not answer.
func (t *Topics) Close() error {
	t.cancel()
	<-t.done
	return t.leave()
}

// leave subscribes to nothing any more.
func (t *Topics) leave() error {
	t.mu.Lock()
	subs := t.subs
	t.subs = map[string]*ros1.Subscriber{}
	t.mu.Unlock()
	var errs []error
	for _, sub := range subs { // each asks the master, which may take long: nobody waits for that who switches
		errs = append(errs, sub.Close())
	}
	return errors.Join(errs...)
}
