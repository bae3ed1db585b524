var twoworlds = (function(exports) {
	Object.defineProperty(exports, Symbol.toStringTag, { value: "Module" });
	// src/exact.ts
	/** What the checker of certificates stands on: JSON that can be read in one way only, fractions of
	* whole numbers, and fields that are read or refused. */
	var Refused = class extends Error {};
	var Unjudged = class extends Error {};
	var EXACT_FROM = 2n ** 53n;
	var deadline = Infinity;
	/** Stop what takes longer, in milliseconds: small files can hold sums that take days. */
	function limit(longest) {
		deadline = Date.now() + longest;
	}
	function tick() {
		if (Date.now() > deadline) throw new Unjudged("It takes too long here");
	}
	function refuse(why) {
		throw new Refused(why);
	}
	var Rounded = class {};
	var TOKEN = /[ \t\n\r]*(?:([[\]{}:,])|("(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|(-?(?:0|[1-9][0-9]*))(\.[0-9]+)?([eE][-+]?[0-9]+)?|(true|false|null))/y;
	function parse(text) {
		const token = new RegExp(TOKEN);
		let found;
		const next = () => {
			const match = token.exec(text);
			if (!match) return refuse("it is not JSON");
			found = match;
			return match[1] ?? "";
		};
		const value = (sign, depth) => {
			if (depth > 200 && (sign === "[" || sign === "{")) refuse("it is nested too deeply");
			if (sign === "[") return items("]", [], (list, at) => void list.push(value(at, depth + 1)));
			if (sign === "{") return items("}", /* @__PURE__ */ new Map(), (map) => {
				const key = found[2] === void 0 ? refuse("it is not JSON") : JSON.parse(found[2]);
				if (map.has(key)) refuse("it names a key twice in one object");
				if (next() !== ":") refuse("it is not JSON");
				map.set(key, value(next(), depth + 1));
			});
			const [, , quoted, whole, point, power, word] = found;
			if (sign) refuse("it is not JSON");
			if (quoted !== void 0) return JSON.parse(quoted);
			if (word !== void 0) return word === "null" ? null : word === "true";
			if (point !== void 0 || power !== void 0) return new Rounded();
			if ((whole ?? "").length > 4300) refuse("it holds a whole number that must be written as text");
			return BigInt(whole ?? "");
		};
		const items = (end, into, add) => {
			for (let sign = next(), first = true;; first = false, sign = next()) {
				if (first && sign === end) return into;
				add(into, sign);
				const after = next();
				if (after === end) return into;
				if (after !== ",") refuse("it is not JSON");
			}
		};
		const whole = value(next(), 0);
		if (/[^ \t\n\r]/.test(text.slice(token.lastIndex))) refuse("it is not JSON: something follows it");
		return whole;
	}
	var ZERO = [0n, 1n];
	var ONE = [1n, 1n];
	function divisor(a, b) {
		for (let steps = 0; b !== 0n; steps++) {
			if (steps % 1024 === 0) tick();
			[a, b] = [b, a % b];
		}
		return a < 0n ? -a : a;
	}
	function quotient(top, bottom) {
		const shared = divisor(top, bottom) * (bottom < 0n ? -1n : 1n);
		return [top / shared, bottom / shared];
	}
	var plus = (a, b) => a[1] === 1n && b[1] === 1n ? [a[0] + b[0], 1n] : quotient(a[0] * b[1] + b[0] * a[1], a[1] * b[1]);
	var times = (a, b) => a[1] === 1n && b[1] === 1n ? [a[0] * b[0], 1n] : quotient(a[0] * b[0], a[1] * b[1]);
	var minus = (a, b) => plus(a, [-b[0], b[1]]);
	var over = (a, b) => quotient(a[0] * b[1], a[1] * b[0]);
	var same = (a, b) => a[0] === b[0] && a[1] === b[1];
	var below = (a, b) => a[0] * b[1] < b[0] * a[1];
	var larger = (a, b) => below(a, b) ? b : a;
	var smaller = (a, b) => below(b, a) ? b : a;
	var sum = (all) => all.reduce(plus, ZERO);
	var notNegative = (all) => all.every((one) => one[0] >= 0n);
	var at = (list, place) => list[place];
	/** The sum of a_i b_i. */
	function dot(a, b) {
		tick();
		return a.reduce((total, p, i) => p[0] && at(b, i)[0] ? plus(total, times(p, at(b, i))) : total, ZERO);
	}
	/** Read -3/4 in lowest terms: each number is written in one way only. */
	function fraction(text) {
		const found = /^(-?)(0|[1-9][0-9]*)(?:\/([1-9][0-9]*))?$/.exec(text);
		if (!found || text === "-0") return refuse("a number is not written as a fraction in lowest terms");
		const bottom = BigInt(found[3] ?? 1);
		const top = BigInt(found[2] ?? 0) * (found[1] ? -1n : 1n);
		if (found[3] && (bottom === 1n || divisor(top, bottom) !== 1n)) refuse("a number is not written as a fraction in lowest terms");
		return [top, bottom];
	}
	function exact(value) {
		if (typeof value === "bigint") return [value, 1n];
		if (typeof value !== "string" || value.length > 1e5) return refuse("a number is not exact");
		const [top, bottom] = fraction(value);
		if (bottom === 1n && top < EXACT_FROM && -top < EXACT_FROM) refuse("a whole number stands as text");
		return [top, bottom];
	}
	var Fields = class {
		all;
		seen = /* @__PURE__ */ new Set([
			"kind",
			"claim",
			"columns",
			"entry"
		]);
		constructor(all) {
			this.all = all;
		}
		get(name) {
			this.seen.add(name);
			return this.all.get(name);
		}
		list(name) {
			const found = this.get(name);
			return Array.isArray(found) ? found : refuse(`it has no list ${name}`);
		}
		number(name) {
			return exact(this.get(name));
		}
		vector(name, length) {
			return vector(this.list(name), name, length);
		}
		matrix(name, width) {
			return matrix(this.list(name), name, width);
		}
		refuseUnread() {
			for (const name of this.all.keys()) if (!this.seen.has(name)) refuse(`its field ${name.slice(0, 60)} has no part in the proof`);
			const text = (one) => typeof one === "string";
			const { claim = "", columns = [], entry } = Object.fromEntries(this.all);
			if (!text(claim) || !Array.isArray(columns) || !columns.every(text)) refuse("claim and columns are texts");
			if (entry === void 0) return;
			if (!(entry instanceof Map) || [...entry.keys()].sort().join() !== "base output,output,value") return refuse("the entry has output, base output and value");
			exact(entry.get("value"));
			if (!text(entry.get("output")) || !text(entry.get("base output"))) refuse("outputs are texts");
		}
	};
	function vector(found, name, length) {
		if (!Array.isArray(found)) return refuse(`${name} is no list of numbers`);
		if (length !== void 0 && found.length !== length) refuse(`${name} needs ${length} entries`);
		return found.map(exact);
	}
	function matrix(found, name, width) {
		const rows = found.map((row) => vector(row, name, width));
		if (rows.some((row) => row.length !== at(rows, 0).length)) refuse(`the rows of ${name} differ`);
		return rows;
	}
	// src/verify_simulator.ts
	/** Certificates of best simulators: the delta that one reaches in all comparisons of two worlds, and
	* tests that no simulator withstands better (twoworlds/definitions/coupled/_proof.py derives them). */
	var list = (given) => Array.isArray(given) ? given : refuse("a list is missing");
	var text = (given) => typeof given === "string" ? given : refuse("a text is missing");
	var whole = (given) => typeof given === "bigint" ? Number(given) : refuse("a whole number is missing");
	var mass = (law, place) => law.get(place) ?? ZERO;
	var isLaw = (law, error = ZERO) => {
		const off = minus(sum([...law.values()]), ONE);
		return notNegative([error, ...law.values()]) && !below(error, off) && !below(error, minus(ZERO, off));
	};
	function only(given, ...names) {
		if (!(given instanceof Map) || given.size !== names.length || !names.every((name) => given.has(name))) return refuse(`the fields must be ${names.join(", ")}`);
		return (name) => given.get(name);
	}
	function law(given, size) {
		if (!(given instanceof Map)) return refuse("a law names its places");
		return new Map([...given].map(([place, p]) => {
			if (!/^(0|[1-9][0-9]{0,14})$/.test(place) || Number(place) >= size) refuse("a place is unknown");
			return [Number(place), fraction(text(p))];
		}));
	}
	function labels(given) {
		const names = list(given).map(text);
		return new Set(names).size === names.length ? names.length : refuse("a label comes twice");
	}
	/** sum of (P - a Q)+ and the error, which counts unless every P is below a Q by more than it. */
	function excess(p, q, ratio, error) {
		const gaps = [...p].map(([t, own]) => minus(own, times(ratio, mass(q, t))));
		const near = error[0] !== 0n && gaps.some((gap) => below(minus(ZERO, error), gap));
		return sum([...gaps.filter((gap) => gap[0] > 0n), near ? error : ZERO]);
	}
	/** The least delta of the simulator in all comparisons, both ways. */
	function attained(made, simulator, ratio) {
		let worst = ZERO;
		for (const { real, ideal, errors } of made) {
			const simulated = /* @__PURE__ */ new Map();
			for (const [y, p] of ideal) for (const [t, chance] of at(simulator, y)) simulated.set(t, plus(mass(simulated, t), times(p, chance)));
			const [off, shift] = errors;
			worst = larger(worst, excess(real, simulated, ratio, plus(off, times(ratio, shift))));
			worst = larger(worst, excess(simulated, real, ratio, plus(shift, times(ratio, off))));
		}
		return smaller(ONE, worst);
	}
	/** What tests drawn by their weights win at a ratio against the simulator that answers best. */
	function testBound(made, outputs, tests, ratio) {
		let total = ZERO;
		const left = /* @__PURE__ */ new Map();
		for (const { comparison, favours, event, weight } of tests) {
			const { real, ideal, errors } = at(made, comparison);
			const mine = favours === "real";
			const shown = sum(event.map((t) => mass(real, t)));
			const [off, shift] = errors;
			const won = mine ? minus(minus(shown, off), times(ratio, shift)) : minus(minus(ZERO, shift), times(ratio, plus(shown, off)));
			total = plus(total, times(weight, won));
			const stake = mine ? minus(ZERO, times(ratio, weight)) : weight;
			for (const [y, p] of ideal) {
				const row = left.get(y) ?? /* @__PURE__ */ new Map();
				for (const t of event) row.set(t, plus(mass(row, t), times(stake, p)));
				left.set(y, row);
			}
		}
		for (const row of left.values()) {
			if (!row.size) refuse("an event of a test is empty");
			const least = [...row.values()].reduce(smaller);
			total = plus(total, row.size === outputs ? least : smaller(ZERO, least));
		}
		return larger(ZERO, total);
	}
	function optimalSimulator(data) {
		const [outputs, inputs] = [labels(data.get("outputs")), labels(data.get("inputs"))];
		const made = data.list("comparisons").map((one) => {
			const get = only(one, "belief", "whose", "side", "private", "real", "ideal", "errors");
			whole(get("belief"));
			[
				"whose",
				"side",
				"private"
			].forEach((name) => text(get(name)));
			const [off, shift, ...more] = list(get("errors")).map((x) => fraction(text(x)));
			if (!off || !shift || more.length) return refuse("a comparison has two errors");
			return {
				real: law(get("real"), outputs),
				ideal: law(get("ideal"), inputs),
				errors: [off, shift]
			};
		});
		const simulator = data.list("simulator").map((one) => law(one, outputs));
		const tests = data.list("tests").map((one) => {
			const get = only(one, "comparison", "favours", "event", "weight");
			const event = list(get("event")).map(whole);
			const weight = fraction(text(get("weight")));
			return {
				comparison: whole(get("comparison")),
				favours: get("favours"),
				event,
				weight
			};
		});
		const claimed = (name) => fraction(text(data.get(name)));
		const [lower, lowerAt] = [claimed("lower"), claimed("lower_at_ratio")];
		const [upper, upperAt] = [claimed("upper"), claimed("upper_at_ratio")];
		const sound = tests.every((one) => one.comparison >= 0 && one.comparison < made.length && (one.favours === "real" || one.favours === "ideal") && one.event.every((t) => t >= 0 && t < outputs) && new Set(one.event).size === one.event.length && one.weight[0] >= 0n);
		return made.length > 0 && simulator.length === inputs && simulator.every((one) => isLaw(one)) && made.every((one) => isLaw(one.real, one.errors[0]) && isLaw(one.ideal, one.errors[1])) && !below(upperAt, ONE) && !below(lowerAt, upperAt) && sound && !below(ONE, sum(tests.map((one) => one.weight))) && same(attained(made, simulator, upperAt), upper) && same(testBound(made, outputs, tests, lowerAt), lower);
	}
	// src/verify.ts
	/** A second checker of certificates: for whoever does not want to trust the first, or to install it.
	*
	* It reads the text itself, since a usual reader of JSON rounds numbers and drops keys that come
	* twice, and computes with fractions of whole numbers only. `KINDS` says what each kind proves, and
	* how; twoworlds/cones/certificates.py in Python says the same, and both are tested on the same
	* certificates, whole and broken. It never says "holds" of what it has not added up: a release has to
	* be worked out from its policy, which only `twoworlds verify` does. Nothing is sent anywhere. */
	var ALONE = "Only the certificate was checked: the words around it were not compared with it. To compare those of a report: twoworlds verify report.html";
	var LARGEST_FILE = 16 << 20;
	var LONGEST = 1e4;
	/** target = sum of weight * part, weights >= 0. */
	function combined(target, data, parts, weights) {
		const rows = data.matrix(parts, target.length);
		const factors = data.vector(weights, rows.length);
		const reached = target.every((x, i) => same(dot(rows.map((row) => at(row, i)), factors), x));
		return notNegative(factors) && reached;
	}
	/** Whether `first` is below 0 on a vector, while no row is. */
	function apart(data, on, first, others) {
		const x = data.vector(on);
		const chosen = data.vector(first, x.length);
		return notNegative(data.matrix(others, x.length).map((row) => dot(row, x))) && dot(chosen, x)[0] < 0n;
	}
	var turned = (rows) => at(rows, 0).map((_, j) => rows.map((row) => at(row, j)));
	var product = (a, b) => {
		const columns = turned(b);
		return a.map((row) => columns.map((column) => dot(row, column)));
	};
	var stochastic = (rows) => rows.every(notNegative) && turned(rows).every((column) => same(sum(column), ONE));
	function table(found, name) {
		const rows = Array.isArray(found) ? matrix(found, name) : refuse(`it has no list ${name}`);
		return rows.length && at(rows, 0).length ? rows : refuse(`${name} is an empty matrix`);
	}
	/** The matrix of a base, or the transition of each of its records, and how many there are. */
	function base(given) {
		if (!(given instanceof Map)) return [table(given, "base"), 1n];
		for (const name of given.keys()) if (name !== "transition" && name !== "records") refuse("a base has transition and records");
		return [table(given.get("transition"), "transition"), given.get("records")];
	}
	/** left (factor x ... x factor), one factor for each record, each in turn the last. */
	function after(left, given, transposed = false) {
		const [plain, records] = base(given);
		const factor = transposed ? turned(plain) : plain;
		if (typeof records !== "bigint" || records < 1n || records > 64n) return refuse("records is a whole number from 1 to 64");
		const [tall, wide] = [BigInt(factor.length), BigInt(at(factor, 0).length)];
		if (BigInt(at(left, 0).length) !== tall ** records) refuse("a matrix does not fit its base");
		if (BigInt(left.length) * wide ** records > 1n << 24n) refuse("a base has too many entries");
		return left.map((row) => {
			let rest = row;
			for (let one = 0n; one < records; one++) rest = turned(product(Array.from({ length: rest.length / factor.length }, (_, b) => rest.slice(b * factor.length, (b + 1) * factor.length)), factor)).flat();
			return rest;
		});
	}
	function postProcessing(data) {
		const target = table(data.get("matrix"), "matrix");
		const bases = data.list("bases");
		const weights = data.vector("weights", bases.length);
		const maps = data.list("maps").map((one) => table(one, "map"));
		if (maps.length !== bases.length) refuse("there is not one map for each base");
		const parts = maps.map((map, i) => after(map, at(bases, i)));
		for (const part of parts) if (part.length !== target.length || at(part, 0).length !== at(target, 0).length) refuse("a map after its base has another shape than the matrix");
		const mixed = (o, d) => dot(weights, parts.map((part) => at(at(part, o), d)));
		return [
			target,
			...bases.map((one) => base(one)[0]),
			...maps
		].every(stochastic) && notNegative(weights) && same(sum(weights), ONE) && target.every((row, o) => row.every((x, d) => same(mixed(o, d), x)));
	}
	function notPostProcessing(data) {
		const [target, functional] = [table(data.get("matrix"), "matrix"), table(data.get("functional"), "functional")];
		if (target.length !== functional.length || at(target, 0).length !== at(functional, 0).length) refuse("the functional has another shape than the matrix");
		const reached = sum(target.map((row, o) => dot(row, at(functional, o))));
		const bases = data.list("bases");
		const most = bases.map((one) => sum(turned(after(functional, one, true)).map((column) => column.reduce(larger))));
		return [target, ...bases.map((one) => base(one)[0])].every(stochastic) && most.length > 0 && most.every((bound) => below(bound, reached));
	}
	/** The loss of the mechanism in the certificate; null if it is no mechanism of the cone. */
	function lossReached(data, loss) {
		const belief = data.vector("belief");
		const n = belief.length;
		const rows = data.matrix("matrix", n);
		const [inequalities, equalities] = [data.matrix("inequalities", n), data.matrix("equalities", n)];
		if (rows.length !== loss.length) refuse("matrix and loss need one row for each output");
		const criterion = data.get("criterion");
		if (criterion !== "expected" && criterion !== "worst") refuse("criterion is expected or worst");
		if (!(rows.length > 0 && n > 0 && stochastic(rows) && inequalities.every((a) => rows.every((row) => dot(a, row)[0] >= 0n)) && equalities.every((a) => rows.every((row) => dot(a, row)[0] === 0n)))) return null;
		const columns = turned(loss);
		const losses = turned(rows).map((column, d) => dot(column, at(columns, d)));
		return criterion === "worst" ? losses.reduce(larger) : dot(belief, losses);
	}
	/** The sum of prices below which no loss of such a mechanism lies; null if that is not proved. */
	function lossBound(data, loss) {
		const belief = data.vector("belief");
		const n = belief.length;
		const [inequalities, equalities] = [data.matrix("inequalities", n), data.matrix("equalities", n)];
		const sides = [...inequalities, ...equalities];
		const multipliers = data.matrix("multipliers", sides.length);
		const prices = data.vector("prices", n);
		if (multipliers.length !== loss.length) refuse("loss and multipliers need one row for each output");
		const proved = loss.every((row, o) => prices.every((price, d) => {
			return !below(minus(times(at(belief, d), at(row, d)), price), dot(sides.map((side) => at(side, d)), at(multipliers, o)));
		}));
		const lawful = notNegative(belief) && same(sum(belief), ONE);
		const signed = multipliers.every((row) => notNegative(row.slice(0, inequalities.length)));
		return proved && lawful && signed ? sum(prices) : null;
	}
	function leastLoss(data) {
		const loss = data.matrix("loss", data.vector("belief").length);
		const [reached, bound] = [lossReached(data, loss), lossBound(data, loss)];
		return reached !== null && bound !== null && same(reached, bound) && same(bound, data.number("value"));
	}
	function leastSquaredLoss(data) {
		const truths = data.vector("truths", data.vector("belief").length);
		const [answers, tangents] = [data.vector("answers"), data.vector("tangents")];
		const [value, bound] = [data.number("value"), data.number("bound")];
		if (!tangents.length || tangents.some((v, i) => i > 0 && !below(at(tangents, i - 1), v))) refuse("tangents are increasing numbers");
		const [least, most] = [at(tangents, 0), at(tangents, tangents.length - 1)];
		const corners = [least, ...tangents].map((u, i) => [u, tangents[i] ?? most]);
		const off = (t, u, v) => times(minus(t, u), minus(t, v));
		const reached = lossReached(data, answers.map((a) => truths.map((t) => off(t, a, a))));
		if (reached === null || !same(reached, value)) return false;
		const proved = lossBound(data, corners.map(([u, v]) => truths.map((t) => off(t, u, v))));
		const enclosed = truths.every((t) => !below(t, least) && !below(most, t));
		return proved !== null && same(proved, bound) && enclosed;
	}
	function largestOdds(data) {
		const row = data.vector("row");
		const [first, second] = [data.vector("first", row.length), data.vector("second", row.length)];
		const [reached, against] = [dot(first, row), dot(second, row)];
		const generated = data.get("generators") !== void 0;
		const cone = data.matrix(generated ? "generators" : "premises", row.length);
		const member = (generated ? cone.some((one) => one.every((x, i) => same(x, at(row, i)))) : notNegative(cone.map((a) => dot(a, row)))) && notNegative([
			...first,
			...second,
			...row
		]);
		if (data.get("odds") === "infinity") return member && second.some((x) => x[0] !== 0n) && reached[0] > 0n && against[0] === 0n;
		const odds = data.number("odds");
		const gap = second.map((b, i) => minus(times(odds, b), at(first, i)));
		const bounded = generated ? notNegative(cone.map((one) => dot(gap, one))) : combined(gap, data, "premises", "multipliers");
		return member && against[0] > 0n && same(reached, times(odds, against)) && bounded;
	}
	function largestParityOdds(data) {
		const transition = data.matrix("transition");
		const width = transition[0]?.length ?? 0;
		const [laws, signs] = [data.matrix("laws", width), data.matrix("signs", width)];
		const places = data.vector("places", laws.length).map(([top, bottom]) => {
			return bottom === 1n && top >= 0n && top < BigInt(transition.length) ? Number(top) : refuse("a place is none of the outputs");
		});
		if (signs.length !== laws.length) refuse("laws and signs need one entry for each record");
		let [low, high, reached] = [
			ONE,
			ONE,
			ONE
		];
		for (const [i, law] of laws.entries()) {
			const masses = transition.map((row) => row.map((p, j) => times(p, at(law, j))));
			const shares = masses.map((m) => sum(m)[0] ? over(dot(at(signs, i), m), sum(m)) : null);
			const share = at(shares, at(places, i));
			if (share === null || !masses.every(notNegative)) return false;
			const ends = shares.flatMap((s) => s ? [times(low, s), times(high, s)] : []);
			[low, high, reached] = [
				ends.reduce(smaller),
				ends.reduce(larger),
				times(reached, share)
			];
		}
		const lawful = laws.length > 0 && laws.every((law) => notNegative(law) && same(sum(law), ONE)) && turned(transition).every((column) => same(sum(column), ONE)) && signs.every((row) => row.every((s) => same(times(s, s), ONE))) && same(reached, high);
		if (data.get("odds") === "infinity") return lawful && same(reached, ONE);
		if (!lawful) return false;
		return same(times(data.number("odds"), minus(ONE, reached)), plus(ONE, reached)) && !same(reached, ONE);
	}
	/** What a certificate of each kind proves, and how that is checked. */
	var KINDS = {
		member: ["the vector is the sum of its generators, each with a weight that is not negative", (data) => combined(data.vector("vector"), data, "generators", "weights")],
		separated: ["the functional is at least 0 on all generators, and below 0 on the vector", (data) => apart(data, "functional", "vector", "generators")],
		satisfies: ["the vector satisfies all inequalities", (data) => {
			const x = data.vector("vector");
			return notNegative(data.matrix("inequalities", x.length).map((row) => dot(row, x)));
		}],
		violates: ["the vector violates the inequality", (data) => {
			const x = data.vector("vector");
			return dot(data.vector("inequality", x.length), x)[0] < 0n;
		}],
		implied: ["the inequality is a sum of its premises, with multipliers that are not negative", (data) => combined(data.vector("inequality"), data, "premises", "multipliers")],
		escape: ["the ray satisfies all premises and violates the inequality", (data) => apart(data, "ray", "inequality", "premises")],
		"post-processing": ["the matrix is a mixture of post-processings of the bases", postProcessing],
		"not-post-processing": ["the matrix is no mixture of post-processings of the bases", notPostProcessing],
		"least-loss": ["the matrix is a mechanism in the cone, and no other one there that has these outputs has less loss", leastLoss],
		"least-squared-loss": ["the matrix is a mechanism in the cone with the squared loss in value, and no other one there, whatever numbers it answers, has less than the bound", leastSquaredLoss],
		"largest-odds": ["no row of the cone has larger odds than the row given", largestOdds],
		"largest-parity-odds": ["no output of the transition has larger odds than the one given", largestParityOdds],
		"optimal-simulator": ["the simulator has the upper delta, and none has less than the lower one", optimalSimulator],
		all: ["all its parts hold", () => false]
	};
	function holds(given, depth) {
		const kind = given instanceof Map ? given.get("kind") : null;
		if (!(given instanceof Map) || typeof kind !== "string") return refuse("it has no kind");
		const data = new Fields(given);
		const known = Object.hasOwn(KINDS, kind) ? KINDS[kind] : void 0;
		if (!known) return refuse(`its kind ${kind.slice(0, 60)} is unknown`);
		let found;
		if (kind === "all") {
			const parts = data.list("parts");
			if (depth === 50) refuse("it is nested more than 50 deep");
			if (!parts.length) refuse("it has an 'all' without parts, which proves nothing");
			found = parts.map((part) => holds(part, depth + 1)).every(Boolean);
		} else found = known[1](data);
		if (found) data.refuseUnread();
		return found;
	}
	/** The digest of a release, from its canonical JSON: sorted keys, no spaces, ASCII only. */
	async function digestFits(data) {
		const points = (key) => [...key].map((c) => (c.codePointAt(0) ?? 0).toString(16).padStart(6, "0")).join("");
		const written = (value) => {
			if (Array.isArray(value)) return `[${value.map(written).join()}]`;
			if (value instanceof Map) return `{${[...value.keys()].sort((a, b) => points(a) < points(b) ? -1 : 1).map((key) => `${written(key)}:${written(value.get(key) ?? null)}`).join()}}`;
			if (typeof value !== "string") return String(value);
			return JSON.stringify(value).replace(/[^ -~]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
		};
		const body = new Map([...data].filter(([name]) => name !== "digest"));
		return await sha256(new TextEncoder().encode(written(body))) === data.get("digest");
	}
	/** The SHA-256 of a file, as reports print it. */
	async function sha256(bytes) {
		return [...new Uint8Array(await crypto.subtle.digest("SHA-256", bytes))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
	}
	function decoded(bytes) {
		if (bytes.length > LARGEST_FILE) return refuse("it is larger than 16 MB");
		try {
			return new TextDecoder("utf-8", {
				fatal: true,
				ignoreBOM: true
			}).decode(bytes);
		} catch {
			return refuse("it is not JSON");
		}
	}
	/** Check a certificate, as its text or as the bytes of its file. */
	async function check(content) {
		let kind = "";
		let claim = "";
		const found = (verdict, said) => ({
			verdict,
			kind,
			said,
			claim
		});
		limit(LONGEST);
		try {
			let data = parse(typeof content === "string" ? content : decoded(content));
			if (data instanceof Map && !data.has("kind")) data = data.get("certificate") ?? data;
			if (data instanceof Map) {
				kind = String(data.get("kind") ?? "");
				const described = data.get("claim");
				if (typeof described === "string") claim = described.slice(0, 300);
			}
			if (data instanceof Map && kind === "release") {
				if (!await digestFits(data)) return found("fails", "its digest is of other content");
				throw new Unjudged("Its digest fits its content. Noise, price and answers are not worked out here");
			}
			return holds(data, 0) ? found("holds", KINDS[kind]?.[0] ?? "") : found("fails", "its arithmetic does not come out");
		} catch (error) {
			if (error instanceof Refused) return found("refused", error.message);
			return found("unjudged", error instanceof Unjudged ? error.message : "It is beyond what this browser can do");
		}
	}
	/** Say it in words: of what it is, and that words around it are not part of it. */
	function sentence({ verdict, kind, said, claim }) {
		const told = {
			holds: "holds",
			fails: "does NOT hold",
			refused: "is refused",
			unjudged: ""
		}[verdict];
		if (!told) return `Not judged in this browser. ${said}. twoworlds verify judges it, with the words around it.`;
		const of = claim ? ` It describes itself as “${claim}”, which is not checked.` : "";
		if (verdict === "holds" && kind === "violates") return `Checked in this browser: the claim is refuted, and the refutation holds (${said}).${of} ${ALONE}`;
		return `Checked in this browser: the certificate ${told} (${said}).${of} ${ALONE}`;
	}
	// src/verify_report.ts
	/** The checker as it stands in a report: when the page is opened, it says whether the certificate in
	* the page holds. Python puts the built file, verify.js, into the page as it is. */
	async function show() {
		const file = document.querySelector("a[data-certificate]");
		const place = document.getElementById("checked");
		if (!file || !place) return;
		const bytes = Uint8Array.from(atob(file.href.replace(/^[^,]*,/, "")), (c) => c.charCodeAt(0));
		const found = await check(bytes);
		const shown = document.getElementById("shown")?.textContent;
		const signed = document.getElementById("signed")?.textContent;
		const others = [shown != null && shown !== new TextDecoder().decode(bytes) ? "The certificate that this page shows is NOT the one that its link saves." : "", signed != null && signed !== await sha256(bytes) ? "The certificate in this page is NOT the one that is signed: its SHA-256 is another." : ""].filter(Boolean);
		const fails = others.length > 0 || found.verdict === "fails" || found.verdict === "refused";
		if (fails) withdraw(place);
		const said = document.createElement("b");
		said.textContent = ` ${[...others, sentence(found)].join(" ")}`;
		place.append(said);
		place.dataset["verdict"] = fails ? "fails" : found.verdict;
	}
	/** Take back what the page says of a certificate that does not hold, or is another one. */
	function withdraw(place) {
		place.textContent = "Nothing that this page says should be relied on.";
		const box = place.closest(".verdict");
		const headline = box?.querySelector(".headline");
		const word = headline?.querySelector(".word");
		if (!box || !headline || !word) return;
		box.className = "verdict broken";
		word.className = "word broken";
		word.textContent = "Not proved";
		headline.replaceChildren(word, " The certificate in this page does not prove what follows.");
	}
	if (typeof document !== "undefined") show();
	exports.KINDS = KINDS;
	exports.check = check;
	exports.sentence = sentence;
	return exports;
})({});
