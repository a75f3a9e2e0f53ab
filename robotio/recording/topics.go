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

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros1/graph"
	"github.com/omnipitch/omnipitch/robotio/wire"
)

// ROSChannel adds a topic whose messages have the type def. callerid is the name of the publishing node. The channel
// gets the metadata that MCAP's profile ros1 or ros2 requires.
func (w *Writer) ROSChannel(topic string, def *msg.Definition, callerid string, latching bool) (*Channel, error) {
	if def.ROS2() {
		return w.Channel(topic, Schema{def.TypeName, def.Text}, map[string]string{"callerid": callerid,
			"offered_qos_profiles": OfferedQoS(latching), "topic_type_hash": def.Hash})
	}
	return w.Channel(topic, Schema{def.Name, def.Text}, map[string]string{"callerid": callerid,
		"latching": strconv.FormatBool(latching), "md5sum": def.MD5})
}

// TopicsConfig says which topics of a ROS graph are recorded, and how.
type TopicsConfig struct {
	Patterns Patterns
	Images   ImageFormat // format for topics of type sensor_msgs/Image
	Off      bool        // whether nothing is recorded until Switch is called
	// Now returns the log time and the publish time for a message that is received at this moment. Many goroutines call
	// it.
	Now func() (logTime, publishTime time.Duration)
}

// Validate returns an error that lists every value that is out of range.
func (c TopicsConfig) Validate() error {
	return errors.Join(c.Images.Validate(), c.Patterns.Validate())
}

// Topics records topics of a ROS graph.
type Topics struct {
	writer *Writer
	node   wire.Node
	cfg    TopicsConfig
	match  *regexp.Regexp
	cancel context.CancelFunc
	done   chan struct{}
	on     atomic.Bool
	wasOff atomic.Bool

	mu    sync.Mutex
	wake  context.CancelFunc         // makes run poll at once
	subs  map[string]wire.Subscriber // by topic
	taps  map[string]*tap            // by topic
	graph *graph.State               // graph at the last poll
	tried bool                       // whether the graph was polled while recording was on
}

// pollTime is the wall time between polls of the graph for new topics. 500 ms is a guess.
const pollTime = 500 * time.Millisecond

// Topics subscribes a node to all topics that match the patterns, including topics that appear later. It records their
// messages byte for byte, with one channel for each publisher. It subscribes to a topic as soon as another node
// publishes or subscribes to it. So the subscription usually exists before the first publisher, and the first message
// is recorded. While the recording is switched off, it has no subscriptions. The caller must close the Topics before
// the Writer and the node. Topics returns an error if the master does not answer, or if the node and the recording do
// not have the same version of ROS.
func (w *Writer) Topics(n wire.Node, c TopicsConfig) (*Topics, error) {
	err := c.Validate()
	if ros2 := n.Version() == msg.ROS2; err == nil && ros2 != w.ros2 {
		err = errors.New("topics: a recording has messages either of ROS 1 or of ROS 2")
	}
	if err != nil {
		return nil, fmt.Errorf("recording %s: %w", w.file.out.Path(), err)
	}
	t := &Topics{writer: w, node: n, cfg: c, match: c.Patterns.Compile(), subs: map[string]wire.Subscriber{},
		taps: map[string]*tap{}, done: make(chan struct{})}
	t.on.Store(!c.Off)
	t.wasOff.Store(c.Off)
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

// run polls the graph regularly, and carries out what Switch asks for.
func (t *Topics) run(ctx context.Context) {
	defer close(t.done)
	wall := t.writer.opts.Wall
	for ctx.Err() == nil {
		var waiting context.Context
		t.mu.Lock()
		waiting, t.wake = context.WithCancel(ctx)
		t.mu.Unlock()
		if t.on.Load() {
			_ = t.poll(ctx) // the next poll will ask the master again
		} else {
			_ = t.leave()
		}
		wall.Wait(waiting, wall.Now()+pollTime)
		t.wake() // frees the old context
	}
}

// Switch turns recording on or off. It returns at once. Messages that are published before the subscriptions have
// connected are not recorded.
func (t *Topics) Switch(on bool) {
	t.on.Store(on)
	if !on {
		t.wasOff.Store(true)
	}
	t.pollNow()
}

// pollNow makes run poll at once.
func (t *Topics) pollNow() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.wake != nil {
		t.wake()
	}
}

// poll subscribes to topics of the graph that are new.
func (t *Topics) poll(ctx context.Context) error {
	g, err := t.node.State(ctx)
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
		sub, err := t.node.SubscribeAny(topic, t.tap(topic).write)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		sub.Confirm()
		t.mu.Lock()
		t.subs[topic] = sub
		t.mu.Unlock()
	}
	var needless []wire.Subscriber
	t.mu.Lock()
	t.graph, t.tried = g, t.tried || t.on.Load()
	for topic, sub := range t.subs {
		if t.compresses(topic, g) { // it was found before the topic of its images
			needless = append(needless, sub)
			delete(t.subs, topic)
		}
	}
	t.mu.Unlock()
	for _, sub := range needless {
		errs = append(errs, sub.Close())
	}
	return errors.Join(errs...)
}

// Unmatched returns the patterns that have not matched any topic so far. If recording was never on, it returns nothing.
func (t *Topics) Unmatched() (all []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, pattern := range t.cfg.Patterns {
		match := Patterns{pattern}.Compile()
		matched := slices.ContainsFunc(slices.Collect(maps.Keys(t.taps)), func(topic string) bool {
			return match.MatchString(topic) || t.cfg.Images != RawImages && match.MatchString(topic+compressed)
		})
		if t.tried && !matched {
			all = append(all, pattern)
		}
	}
	return all
}

// Received returns the number of messages that were recorded on each topic. whole is false if recording has been off.
func (t *Topics) Received() (byTopic map[string]uint64, whole bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	byTopic = map[string]uint64{}
	for topic, x := range t.taps {
		x.mu.Lock()
		byTopic[topic] = x.received
		x.mu.Unlock()
	}
	return byTopic, !t.wasOff.Load()
}

// compressed ends the names of topics with compressed images, after the name of the topic with the images.
const compressed = "/compressed"

// compresses reports whether a topic can be left out because its messages are compressed copies of the images of
// another topic. That topic is itself recorded in compressed form, under the name of the left-out topic.
func (t *Topics) compresses(topic string, g *graph.State) bool {
	base, ok := strings.CutSuffix(topic, compressed)
	return ok && t.cfg.Images != RawImages && g.Publishers[base] != nil && t.match.MatchString(base)
}

// Await waits until a publisher of each of the given topics that the patterns match is connected, or until ctx ends.
// Nodes of ROS 2 find each other only some time after they have started.
func (t *Topics) Await(ctx context.Context, topics []string) {
	wall := t.writer.opts.Wall
	for ctx.Err() == nil && t.on.Load() && !t.reached(topics) {
		t.pollNow()
		wall.Wait(ctx, wall.Now()+awaitTime)
	}
}

// awaitTime is the wall time between polls of Await. It is a guess: nodes find each other in tens of milliseconds.
const awaitTime = 20 * time.Millisecond

// reached reports whether a publisher of each topic is connected.
func (t *Topics) reached(topics []string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, topic := range topics {
		if !t.match.MatchString(topic) || t.compresses(topic, t.graph) {
			continue
		}
		if sub := t.subs[topic]; sub == nil || len(sub.Connections()) == 0 {
			return false
		}
	}
	return true
}

// Connected reports whether, at the last poll, all publishers of the topics were connected. Then all messages that they
// publish later are recorded.
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

// origin identifies a publisher. A publisher keeps its origin when it is restarted.
type origin struct {
	publisher, typ, sum string // sum is the MD5 sum or the hash of the definition
	latched             bool
}

// sink records messages. It is a Channel or an Images.
type sink interface {
	Write(logTime, publishTime time.Duration, data []byte)
}

// tap records the messages of one topic.
type tap struct {
	topics *Topics
	topic  string

	mu       sync.Mutex // a closed subscriber may still call write
	received uint64
	newest   *wire.Source
	to       sink // sink for the messages of the publisher in the field newest
	sinks    map[origin]sink
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
func (x *tap) write(from *wire.Source, b []byte) {
	t := x.topics
	if !t.on.Load() {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if from != x.newest {
		key := origin{from.Publisher, from.Def.Name, from.Def.MD5 + from.Def.Hash, from.Latched}
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
	x.received++
}

func (t *Topics) sink(topic string, from *wire.Source) (sink, error) {
	if t.cfg.Images != RawImages && from.Def.Name == imageType {
		return t.writer.Images(topic, t.cfg.Images, from.Def, from.Publisher)
	}
	return t.writer.ROSChannel(topic, from.Def, from.Publisher, from.Latched)
}

// Close ends all subscriptions, after it has recorded the messages that were received. It returns an error if the
// master does not answer.
func (t *Topics) Close() error {
	t.cancel()
	<-t.done
	return t.leave()
}

// leave ends all subscriptions.
func (t *Topics) leave() error {
	t.mu.Lock()
	subs := t.subs
	t.subs = map[string]wire.Subscriber{}
	t.mu.Unlock()
	var errs []error
	for _, sub := range subs { // mu is not locked here, because each call to the master may take long
		errs = append(errs, sub.Close())
	}
	return errors.Join(errs...)
}

// Patterns is a list of patterns for the names of topics. In a pattern, * matches any characters, and ? matches one
// character. For example, /cyan1/* matches all topics in the namespace /cyan1.
type Patterns []string

// wildcards replaces the wildcards of a pattern with a letter, so that the rest can be checked as a name.
var wildcards = strings.NewReplacer("*", "x", "?", "x")

// Validate returns an error that lists every pattern that cannot match the name of a topic.
func (p Patterns) Validate() error {
	var errs []error
	for i, pattern := range p {
		err := graph.Check(wildcards.Replace(pattern))
		if err != nil || pattern == "" || strings.HasPrefix(pattern, "~") {
			errs = append(errs, fmt.Errorf(
				"topics[%d] = %q: must be a name of letters, digits, / and _, with * and ? for any of them",
				i,
				pattern,
			))
		}
	}
	return errors.Join(errs...)
}

// Compile returns a regular expression that matches a name if any of the patterns matches the name. The patterns must
// be valid.
func (p Patterns) Compile() *regexp.Regexp {
	var all []string
	for _, pattern := range p {
		if !strings.HasPrefix(pattern, "/") && !strings.HasPrefix(pattern, "*") {
			pattern = "/" + pattern
		}
		all = append(all, strings.NewReplacer(`\*`, ".*", `\?`, ".").Replace(regexp.QuoteMeta(pattern)))
	}
	return regexp.MustCompile("^(?:" + strings.Join(all, "|") + ")$")
}
