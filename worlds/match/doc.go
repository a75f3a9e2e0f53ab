// Package match carries out what a world file prescribes for a running world: its events, the referee and the coach,
// expectations, walking people, and the radio between teammates.
//
// A Director does this in every step, and keeps all state that this needs. It reaches bodies and sensors only through
// the interface Simulation. A Match is the part of a Director that users of a Sim can access.
//
// Positions, poses and twists are in W, in m, m/s, rad and rad/s. Times are sim times.
package match
