package python

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
)

// call is a request that is being carried out.
type call struct {
	*server
	ctx     context.Context
	request *request
	reply   *reply
	chosen  []*simulation // that the request names
}

// operation carries out requests of one kind. One of its functions is not nil.
type operation struct {
	whole func(*call) error                   // called once
	one   func(*call, *simulation) error      // called for the only simulation that the request may name
	each  func(*call, *simulation, int) error // called for each simulation with its index, for several in parallel
}

// operations are the kinds of requests.
var operations = map[string]operation{
	"open":     {whole: (*call).open},
	"close":    {whole: (*call).closeSimulations},
	"task":     {whole: (*call).startTasks},
	"forget":   {whole: (*call).forget},
	"stop":     {whole: (*call).stop},
	"dataset":  {whole: (*call).openDataset},
	"draw":     {whole: (*call).draw},
	"save":     {one: (*call).save},
	"report":   {one: (*call).report},
	"finish":   {one: (*call).report},
	"rays":     {one: (*call).rays},
	"picture":  {one: (*call).picture},
	"overview": {one: (*call).overview},
	"step":     {each: (*call).step},
	"reset":    {each: (*call).reset},
	"restore":  {each: (*call).restore},
	"seek":     {each: func(c *call, s *simulation, _ int) error { return s.seek(c.ctx, c.request.For) }},
	"decide":   {each: func(c *call, s *simulation, _ int) error { return s.task.carryOut(c.ctx) }},
	"do":       {each: func(c *call, s *simulation, _ int) error { return s.do(c.request.Do) }},
}

// carryOut calls the operation's function. It returns the error of the first simulation that fails.
func (o operation) carryOut(c *call) error {
	n := len(c.chosen)
	switch {
	case o.whole != nil:
		return o.whole(c)
	case o.one != nil && n != 1:
		return inputError{fmt.Errorf("%s: %d simulations", c.request.Op, n)}
	case o.one != nil:
		return o.one(c, c.chosen[0])
	case n == 1:
		return o.each(c, c.chosen[0], 0)
	}
	errs := make([]error, n)
	var all sync.WaitGroup
	for i, s := range c.chosen {
		all.Go(func() { errs[i] = o.each(c, s, i) })
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// setResult makes v the result in the reply, unless there is an error. It returns the error.
func (c *call) setResult(v any, err error) error {
	if err == nil {
		c.reply.Result, err = json.Marshal(v)
	}
	return err
}

// open starts a simulation and describes it to Python.
func (c *call) open() error {
	if len(c.all) == maxSimulations {
		return inputError{fmt.Errorf("simulations: must be at most %d in one process", maxSimulations)}
	}
	s, o, err := open(&c.request.Open, c.memory, &c.cache, c.hooks.Assess)
	if err != nil {
		return err
	}
	o.Simulation = len(c.all)
	c.all = append(c.all, s)
	c.reply.Opened, c.reply.News = &o, s.appendNews(nil, o.Simulation)
	return nil
}

func (c *call) closeSimulations() error {
	for i, n := range c.request.Simulations {
		c.chosen[i].close()
		c.all[n] = nil
	}
	return nil
}

func (c *call) startTasks() (err error) {
	c.reply.Tasks, err = startTasks(c.memory, c.chosen)
	return err
}

func (c *call) overview(s *simulation) error {
	p, err := s.overview.draw(s, c.memory)
	c.reply.Pixels = []Pixels{p}
	return err
}

func (c *call) save(s *simulation) error {
	state, err := s.save()
	if err == nil {
		c.states[c.next] = state
		c.reply.State, c.next = c.next, c.next+1
	}
	return err
}

func (c *call) restore(s *simulation, _ int) error {
	state := c.states[c.request.State]
	if state == nil {
		return inputError{errors.New("restore: the state is of another process")}
	}
	return s.restore(state)
}

func (c *call) forget() error {
	delete(c.states, c.request.State)
	return nil
}

// stop ends what runs. Python may not have read the reply to the request before, so this reply has all news.
func (c *call) stop() error {
	c.reply.Stopped, c.told = true, 0
	for n, s := range c.all {
		if s != nil {
			s.table.told, s.told = 0, 0
			c.reply.News = s.appendNews(c.reply.News, n)
		}
	}
	return nil
}

func (c *call) step(s *simulation, _ int) error {
	d := c.request.For
	if d <= 0 || d > maxStep {
		return inputError{fmt.Errorf("step: %v ms: must lie in (0, %d]", float64(d)/1e6, maxStep.Milliseconds())}
	}
	return s.advance(c.ctx, d)
}

func (c *call) reset(s *simulation, i int) error {
	if seeds := c.request.Seeds; len(seeds) == len(c.chosen) {
		return s.reset(c.ctx, seeds[i])
	}
	return inputError{fmt.Errorf("reset: %d seeds for %d simulations", len(c.request.Seeds), len(c.chosen))}
}
