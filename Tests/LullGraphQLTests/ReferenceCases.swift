// swift-format-ignore-file
// The results of graphql-core 3.3.2 for the cases of Scripts/support/graphql-cases.txt.
// Written by Scripts/support/check-graphql --update.

/// A document or schema and its expected result, as check-graphql describes it.
struct ReferenceCase: Sendable {
  let schema: String
  let title: String
  let expected: String
  let text: String

  init(_ schema: String, _ title: String, _ expected: String, _ text: String) {
    self.schema = schema
    self.title = title
    self.expected = expected
    self.text = text
  }

  static let schemas: [String: String] = [
    "animals":
      #"""
      interface Being { name(surname: Boolean): String }
      interface Mammal { mother: Mammal father: Mammal }
      interface Pet implements Being { name(surname: Boolean): String nickname: String! }
      interface Canine implements Mammal & Being {
        name(surname: Boolean): String
        mother: Canine
        father: Canine
      }
      enum Command { SIT HEEL DOWN @deprecated(reason: "cruel") }
      enum Fur { BROWN BLACK SPOTTED NONE }
      type Dog implements Being & Pet & Mammal & Canine {
        name(surname: Boolean): String
        nickname: String!
        barks: Boolean
        volume: Int
        knows(command: Command): Boolean
        trained(other: Boolean = true): Boolean
        at(x: Int, y: Int): Boolean
        mother: Dog
        father: Dog
        owner: Human
        fur: Fur
      }
      type Cat implements Being & Pet {
        name(surname: Boolean): String
        nickname: String!
        meows: Boolean
        volume: Float
        fur: Fur
        owner: Human!
        kittens: [Cat!]!
      }
      type Human implements Being {
        name(surname: Boolean): String
        pets: [Pet]
        dog: Dog
        relatives: [Human]
        age: Int @deprecated
      }
      type Stone { weight: Float }
      union Thing = Dog | Cat | Stone
      union DogOrHuman = Dog | Human
      union HumanOrStone = Human | Stone
      scalar Anything
      input Size { required: Boolean! count: Int name: String nested: Size list: [String!] on: Boolean! = false }
      input One @oneOf { id: ID name: String }
      input Filter { all: [Size!] any: [[Int]] }
      type Arguments {
        ints(a: Int!, b: Int!): Int
        optional(a: Int = 0, b: Int! = 0): Int
        int(a: Int): Int
        required(a: Int!): Int
        float(a: Float): Float
        string(a: String): String
        boolean(a: Boolean): Boolean
        id(a: ID): ID
        fur(a: Fur): Fur
        strings(a: [String]): [String]
        list(a: [Int!]!): [Int]
        size(a: Size): String
        one(a: One): String
        filter(a: Filter): String
        anything(a: Anything): String
        old(a: Int @deprecated(reason: "no"), b: Int): Int
      }
      type Query {
        human(id: ID): Human
        dog: Dog
        cat: Cat
        pet: Pet
        thing: Thing
        being: Being
        mammal: Mammal
        canine: Canine
        stone: Stone
        dogOrHuman: DogOrHuman
        humanOrStone: HumanOrStone
        arguments: Arguments
        pets(first: Int, after: ID): [Pet!]
        dogs(names: [[String]]): [Dog]
      }
      type Mutation { feed(id: ID!): Dog }
      type Subscription { barked(loud: Boolean): Dog meowed: Cat }
      directive @onQuery on QUERY
      directive @onMutation on MUTATION
      directive @onSubscription on SUBSCRIPTION
      directive @onField(a: Int, required: Int! = 1) on FIELD
      directive @onFragment on FRAGMENT_DEFINITION
      directive @onSpread on FRAGMENT_SPREAD
      directive @onInline on INLINE_FRAGMENT
      directive @onVariable on VARIABLE_DEFINITION
      directive @many(a: String) repeatable on FIELD | QUERY
      directive @needs(a: Int!) on FIELD
      """#,
    "roots":
      #"""
      schema { query: Root }
      type Root { a: Int b(x: Int! = 1): Root }
      type Mutation { a: Int }
      """#,
  ]

  static let documents: [ReferenceCase] = [
    ReferenceCase(
      "animals", "shortest", "",
      #"""
      { dog { name } }
      """#),
    ReferenceCase(
      "animals", "all kinds of operations", "",
      #"""
      query Q { dog { name } }
      mutation M { feed(id: 1) { name } }
      subscription S { barked { name } }
      """#),
    ReferenceCase(
      "animals", "type definition in an executable document", "2:1 3:1",
      #"""
      query Foo { dog { name } }
      type Cow { name: String }
      extend type Dog { color: String }
      """#),
    ReferenceCase(
      "animals", "schema and directive definitions in an executable document", "2:1 3:1",
      #"""
      { dog { name } }
      schema { query: Query }
      directive @x on FIELD
      """#),
    ReferenceCase(
      "animals", "only fragments", "1:1",
      #"""
      fragment F on Dog { name }
      """#),
    ReferenceCase(
      "animals", "operation names that differ", "",
      #"""
      query A { dog { name } } query B { cat { name } }
      """#),
    ReferenceCase(
      "animals", "operation names twice", "1:7",
      #"""
      query A { dog { name } } query A { cat { name } }
      """#),
    ReferenceCase(
      "animals", "operation names twice in different kinds", "1:7",
      #"""
      query A { dog { name } }
      mutation A { feed(id: 1) { name } }
      """#),
    ReferenceCase(
      "animals", "operation name three times", "1:7 1:7",
      #"""
      query A { dog { name } } query A { cat { name } } query A { stone { weight } }
      """#),
    ReferenceCase(
      "animals", "operation and fragment of one name", "",
      #"""
      query A { ...A } fragment A on Query { dog { name } }
      """#),
    ReferenceCase(
      "animals", "anonymous beside a named one", "1:1",
      #"""
      { dog { name } }
      query B { cat { name } }
      """#),
    ReferenceCase(
      "animals", "two anonymous", "1:1 2:1",
      #"""
      { dog { name } }
      { cat { name } }
      """#),
    ReferenceCase(
      "animals", "anonymous with a fragment", "",
      #"""
      { ...F } fragment F on Query { dog { name } }
      """#),
    ReferenceCase(
      "animals", "anonymous mutation beside a subscription", "1:1 2:1",
      #"""
      mutation { feed(id: 1) { name } }
      subscription { barked { name } }
      """#),
    ReferenceCase(
      "animals", "subscription with one field", "",
      #"""
      subscription { barked { name volume } }
      """#),
    ReferenceCase(
      "animals", "subscription with two fields", "1:34",
      #"""
      subscription S { barked { name } meowed { name } }
      """#),
    ReferenceCase(
      "animals", "subscription with one field twice", "",
      #"""
      subscription S { barked { name } barked { volume } }
      """#),
    ReferenceCase(
      "animals", "subscription with one field by two aliases", "1:37",
      #"""
      subscription S { a: barked { name } b: barked { volume } }
      """#),
    ReferenceCase(
      "animals", "subscription with two fields by a fragment", "1:70",
      #"""
      subscription S { ...F } fragment F on Subscription { barked { name } meowed { name } }
      """#),
    ReferenceCase(
      "animals", "subscription with two fields by fragments", "1:76",
      #"""
      subscription S { barked { name } ...F } fragment F on Subscription { ... { meowed { name } } }
      """#),
    ReferenceCase(
      "animals", "subscription with __typename", "1:18",
      #"""
      subscription S { __typename }
      """#),
    ReferenceCase(
      "animals", "subscription with __typename besides", "1:34 1:34",
      #"""
      subscription S { barked { name } __typename }
      """#),
    ReferenceCase(
      "animals", "subscription with skip", "1:39",
      #"""
      subscription S($b: Boolean!) { barked @skip(if: $b) { name } }
      """#),
    ReferenceCase(
      "animals", "subscription with include in a fragment", "1:37",
      #"""
      subscription S($b: Boolean!) { ...F @include(if: $b) } fragment F on Subscription { barked { name } }
      """#),
    ReferenceCase(
      "animals", "subscription with skip below", "",
      #"""
      subscription S($b: Boolean!) { barked { name @skip(if: $b) } }
      """#),
    ReferenceCase(
      "animals", "subscription of a cyclic fragment", "1:70",
      #"""
      subscription S { barked { name } ...F } fragment F on Subscription { ...F barked { name } }
      """#),
    ReferenceCase(
      "animals", "subscription with an unknown field", "1:18",
      #"""
      subscription S { nothing }
      """#),
    ReferenceCase(
      "animals", "fields that exist", "",
      #"""
      { dog { barks volume owner { name pets { nickname } } } }
      """#),
    ReferenceCase(
      "animals", "unknown field", "1:9",
      #"""
      { dog { meows } }
      """#),
    ReferenceCase(
      "animals", "unknown fields at several levels", "2:3 3:9 3:20",
      #"""
      {
        dgo { nothing { else } }
        dog { nme volume { x } }
      }
      """#),
    ReferenceCase(
      "animals", "unknown field with an alias", "1:9",
      #"""
      { dog { sound: bark } }
      """#),
    ReferenceCase(
      "animals", "field of an implementor on an interface", "1:9",
      #"""
      { pet { volume } }
      """#),
    ReferenceCase(
      "animals", "interface fields", "",
      #"""
      { pet { name nickname } being { name } }
      """#),
    ReferenceCase(
      "animals", "__typename everywhere", "",
      #"""
      { __typename dog { __typename } pet { __typename } thing { __typename } }
      """#),
    ReferenceCase(
      "animals", "__typename of a scalar", "1:14",
      #"""
      { dog { name { __typename } } }
      """#),
    ReferenceCase(
      "animals", "field of a union", "1:11",
      #"""
      { thing { name } }
      """#),
    ReferenceCase(
      "animals", "fields of a union by fragments", "",
      #"""
      { thing { ... on Dog { name } ... on Cat { name } ... on Stone { weight } } }
      """#),
    ReferenceCase(
      "animals", "__schema and __type", "",
      #"""
      { __schema { types { name fields(includeDeprecated: true) { name args { name } } } } __type(name: "Dog") { kind name } }
      """#),
    ReferenceCase(
      "animals", "__schema below the top", "1:9",
      #"""
      { dog { __schema { types { name } } } }
      """#),
    ReferenceCase(
      "animals", "__schema of a mutation", "1:12",
      #"""
      mutation { __schema { types { name } } }
      """#),
    ReferenceCase(
      "animals", "introspection enum and oneOf", "",
      #"""
      { __type(name: "One") { isOneOf inputFields(includeDeprecated: false) { name isDeprecated } enumValues { name } } }
      """#),
    ReferenceCase(
      "animals", "__type without name", "1:3",
      #"""
      { __type { name } }
      """#),
    ReferenceCase(
      "animals", "introspection with a missing field", "1:14",
      #"""
      { __schema { nothing } }
      """#),
    ReferenceCase(
      "animals", "unknown field in a fragment on an unknown type", "1:24",
      #"""
      { ...F } fragment F on Nothing { nothing dog { nothing } }
      """#),
    ReferenceCase(
      "animals", "scalar without selections", "",
      #"""
      { dog { barks } }
      """#),
    ReferenceCase(
      "animals", "scalar with selections", "1:15",
      #"""
      { dog { barks { loud } } }
      """#),
    ReferenceCase(
      "animals", "scalar with arguments and selections", "1:29",
      #"""
      { dog { knows(command: SIT) { loud } } }
      """#),
    ReferenceCase(
      "animals", "object without selections", "1:3",
      #"""
      { dog }
      """#),
    ReferenceCase(
      "animals", "interface without selections", "1:3",
      #"""
      { pet }
      """#),
    ReferenceCase(
      "animals", "union without selections", "1:3",
      #"""
      { thing }
      """#),
    ReferenceCase(
      "animals", "list of objects without selections", "1:11",
      #"""
      { human { relatives } }
      """#),
    ReferenceCase(
      "animals", "enum with selections", "1:13",
      #"""
      { dog { fur { x } } }
      """#),
    ReferenceCase(
      "animals", "nested object without selections", "1:19 1:31",
      #"""
      query Q { human { pets, dog { owner } } }
      """#),
    ReferenceCase(
      "animals", "arguments known", "",
      #"""
      { dog { knows(command: SIT) name(surname: true) } }
      """#),
    ReferenceCase(
      "animals", "arguments in any order", "",
      #"""
      { arguments { ints(b: 1, a: 2) } }
      """#),
    ReferenceCase(
      "animals", "argument unknown", "1:15",
      #"""
      { dog { knows(comand: SIT) } }
      """#),
    ReferenceCase(
      "animals", "arguments unknown, several", "1:15 1:35 1:49",
      #"""
      { dog { knows(a: 1, command: SIT, b: 2) } human(idd: 1) { name } }
      """#),
    ReferenceCase(
      "animals", "argument of a field without arguments", "1:7",
      #"""
      { dog(id: 1) { name } }
      """#),
    ReferenceCase(
      "animals", "argument of an unknown field", "1:9 1:14",
      #"""
      { dog { bark(loud: true, loud: false) } }
      """#),
    ReferenceCase(
      "animals", "argument twice", "1:9",
      #"""
      { human(id: 1, id: 2) { name } }
      """#),
    ReferenceCase(
      "animals", "argument three times", "1:20",
      #"""
      { arguments { ints(a: 1, b: 2, a: 3, a: 4) } }
      """#),
    ReferenceCase(
      "animals", "same argument of two fields", "",
      #"""
      { a: human(id: 1) { name } b: human(id: 2) { name } }
      """#),
    ReferenceCase(
      "animals", "directive argument twice", "1:16",
      #"""
      { dog @onField(a: 1, a: 2) { name } }
      """#),
    ReferenceCase(
      "animals", "directive argument unknown", "1:13",
      #"""
      { dog @skip(iff: true, if: true) { name } }
      """#),
    ReferenceCase(
      "animals", "required argument missing", "1:15 1:24",
      #"""
      { arguments { required ints(a: 1) } }
      """#),
    ReferenceCase(
      "animals", "required arguments missing, both", "1:15 1:15",
      #"""
      { arguments { ints } }
      """#),
    ReferenceCase(
      "animals", "required argument with default missing", "",
      #"""
      { arguments { optional } }
      """#),
    ReferenceCase(
      "animals", "required argument null", "1:27",
      #"""
      { arguments { required(a: null) } }
      """#),
    ReferenceCase(
      "animals", "required argument of a directive missing", "1:7 1:21",
      #"""
      { dog @needs { name @include } }
      """#),
    ReferenceCase(
      "animals", "required argument of a directive with default missing", "",
      #"""
      { dog @onField { name } }
      """#),
    ReferenceCase(
      "animals", "required argument misspelled", "1:15 1:24",
      #"""
      { arguments { required(aa: 1) } }
      """#),
    ReferenceCase(
      "animals", "required argument in a fragment", "1:44",
      #"""
      { ...F } fragment F on Query { arguments { required } }
      """#),
    ReferenceCase(
      "animals", "fragment names that differ", "",
      #"""
      { ...A ...B } fragment A on Query { dog { name } } fragment B on Query { cat { name } }
      """#),
    ReferenceCase(
      "animals", "fragment names twice", "1:19",
      #"""
      { ...A } fragment A on Query { dog { name } } fragment A on Query { cat { name } }
      """#),
    ReferenceCase(
      "animals", "fragment name thrice", "1:19 1:19",
      #"""
      { ...A } fragment A on Query { dog { name } }
      fragment A on Query { cat { name } }
      fragment A on Query { stone { weight } }
      """#),
    ReferenceCase(
      "animals", "fragment on an unknown type", "1:21 1:56",
      #"""
      { dog { ...A ... on Nothing { name } } } fragment A on Dgo { name }
      """#),
    ReferenceCase(
      "animals", "inline fragment on an input type", "1:16",
      #"""
      { dog { ... on Size { name } } }
      """#),
    ReferenceCase(
      "animals", "fragment on a scalar", "1:32",
      #"""
      { dog { ...A } } fragment A on Int { x }
      """#),
    ReferenceCase(
      "animals", "fragment on an enum and on an input", "1:37 1:61",
      #"""
      { dog { ...A ...B } } fragment A on Fur { x } fragment B on Size { name }
      """#),
    ReferenceCase(
      "animals", "inline fragment without condition", "",
      #"""
      { dog { ... { name } ... @include(if: true) { barks } } }
      """#),
    ReferenceCase(
      "animals", "fragments on all composite types", "",
      #"""
      { dog { ...A ...B ...C } } fragment A on Dog { name } fragment B on Pet { name } fragment C on Thing { __typename }
      """#),
    ReferenceCase(
      "animals", "fragment unused", "1:18",
      #"""
      { dog { name } } fragment A on Dog { name }
      """#),
    ReferenceCase(
      "animals", "fragments unused, through each other", "2:1 3:1 4:1 4:21",
      #"""
      { dog { name } }
      fragment A on Dog { ...B }
      fragment B on Dog { name }
      fragment C on Dog { ...C }
      """#),
    ReferenceCase(
      "animals", "fragment used by an unused one", "1:45",
      #"""
      { dog { ...A } } fragment A on Dog { name } fragment B on Dog { ...A }
      """#),
    ReferenceCase(
      "animals", "fragments used through another", "",
      #"""
      { dog { ...A } } fragment A on Dog { ...B } fragment B on Dog { name }
      """#),
    ReferenceCase(
      "animals", "fragment not defined", "1:25 1:62",
      #"""
      { dog { ...A owner { ...Nothing } } } fragment A on Dog { ...B }
      """#),
    ReferenceCase(
      "animals", "cycle of one", "1:43",
      #"""
      { dog { ...A } } fragment A on Dog { name ...A }
      """#),
    ReferenceCase(
      "animals", "cycle of one within a field", "1:47",
      #"""
      { dog { ...A } } fragment A on Dog { mother { ...A } }
      """#),
    ReferenceCase(
      "animals", "cycle of one in an inline fragment", "1:51",
      #"""
      { dog { ...A } } fragment A on Dog { ... on Dog { ...A } }
      """#),
    ReferenceCase(
      "animals", "cycle of two", "1:38",
      #"""
      { dog { ...A } } fragment A on Dog { ...B } fragment B on Dog { ...A }
      """#),
    ReferenceCase(
      "animals", "cycle of three", "2:21",
      #"""
      { dog { ...A } }
      fragment A on Dog { ...B }
      fragment B on Dog { ...C }
      fragment C on Dog { ...A }
      """#),
    ReferenceCase(
      "animals", "cycle entered from outside", "3:21",
      #"""
      { dog { ...A } }
      fragment A on Dog { ...B }
      fragment B on Dog { ...C }
      fragment C on Dog { ...B }
      """#),
    ReferenceCase(
      "animals", "two cycles", "2:26 3:21",
      #"""
      { dog { ...A } }
      fragment A on Dog { ...B ...A }
      fragment B on Dog { ...B name }
      """#),
    ReferenceCase(
      "animals", "no cycle in a diamond", "",
      #"""
      { dog { ...A ...B } }
      fragment A on Dog { ...C }
      fragment B on Dog { ...C }
      fragment C on Dog { name }
      """#),
    ReferenceCase(
      "animals", "spread of the same object", "",
      #"""
      { dog { ... on Dog { barks } } }
      """#),
    ReferenceCase(
      "animals", "spread of an interface of the object", "",
      #"""
      { dog { ... on Pet { nickname } ... on Thing { __typename } } }
      """#),
    ReferenceCase(
      "animals", "spread of another object", "1:9",
      #"""
      { dog { ... on Cat { meows } } }
      """#),
    ReferenceCase(
      "animals", "spread of another object by name", "1:9",
      #"""
      { dog { ...A } } fragment A on Cat { meows }
      """#),
    ReferenceCase(
      "animals", "spread of an object in an interface", "",
      #"""
      { pet { ... on Dog { barks } ... on Cat { meows } } }
      """#),
    ReferenceCase(
      "animals", "spread of an object that does not implement", "1:9 1:33",
      #"""
      { pet { ... on Stone { weight } ... on Human { name } } }
      """#),
    ReferenceCase(
      "animals", "spread of an object in a union", "1:49",
      #"""
      { thing { ... on Dog { barks } } humanOrStone { ... on Cat { meows } } }
      """#),
    ReferenceCase(
      "animals", "spread of interfaces that overlap", "",
      #"""
      { pet { ... on Being { name } ... on Canine { name } } }
      """#),
    ReferenceCase(
      "animals", "spread of interfaces that do not overlap", "1:18 1:38",
      #"""
      { humanOrStone { ... on Pet { name } ...F } } fragment F on Canine { name }
      """#),
    ReferenceCase(
      "animals", "spread of unions that overlap", "",
      #"""
      { thing { ... on DogOrHuman { __typename } ... on HumanOrStone { __typename } } }
      """#),
    ReferenceCase(
      "animals", "spread of unions that do not", "",
      #"""
      { dogOrHuman { ... on Thing { __typename } } }
      """#),
    ReferenceCase(
      "animals", "merging the same field", "",
      #"""
      { dog { name name } }
      """#),
    ReferenceCase(
      "animals", "merging the same aliases", "",
      #"""
      { dog { a: name a: name } }
      """#),
    ReferenceCase(
      "animals", "merging with the same arguments", "",
      #"""
      { dog { at(x: 1, y: 2) at(y: 2, x: 1) } }
      """#),
    ReferenceCase(
      "animals", "merging the same variables", "",
      #"""
      query Q($x: Int) { dog { at(x: $x) at(x: $x) } }
      """#),
    ReferenceCase(
      "animals", "conflict of alias and field", "1:9",
      #"""
      { dog { name: nickname name } }
      """#),
    ReferenceCase(
      "animals", "conflict of aliases", "1:9",
      #"""
      { dog { a: name a: nickname } }
      """#),
    ReferenceCase(
      "animals", "conflict of arguments", "1:9",
      #"""
      { dog { knows(command: SIT) knows(command: HEEL) } }
      """#),
    ReferenceCase(
      "animals", "conflict of arguments and none", "1:9",
      #"""
      { dog { trained(other: true) trained } }
      """#),
    ReferenceCase(
      "animals", "conflict of argument names", "1:9",
      #"""
      { dog { at(x: 1) at(y: 1) } }
      """#),
    ReferenceCase(
      "animals", "conflict of variable and value", "1:26",
      #"""
      query Q($x: Int) { dog { at(x: $x) at(x: 1) } }
      """#),
    ReferenceCase(
      "animals", "conflict of three fields", "1:9 1:9 1:17",
      #"""
      { dog { a: name a: nickname a: barks } }
      """#),
    ReferenceCase(
      "animals", "conflict in a fragment", "1:38",
      #"""
      { dog { ...A } } fragment A on Dog { a: name a: nickname }
      """#),
    ReferenceCase(
      "animals", "conflict with a fragment", "1:9",
      #"""
      { dog { a: name ...A } } fragment A on Dog { a: nickname }
      """#),
    ReferenceCase(
      "animals", "conflict of two fragments", "1:43",
      #"""
      { dog { ...A ...B } } fragment A on Dog { a: name } fragment B on Dog { a: nickname }
      """#),
    ReferenceCase(
      "animals", "conflict of fragments once, in two fields", "1:64",
      #"""
      { dog { ...A ...B mother { ...B ...A } } } fragment A on Dog { a: name } fragment B on Dog { a: nickname }
      """#),
    ReferenceCase(
      "animals", "conflict of nested fragments", "1:14",
      #"""
      { dog { ...A a: barks } } fragment A on Dog { ...B } fragment B on Dog { a: nickname }
      """#),
    ReferenceCase(
      "animals", "conflict deep", "1:3",
      #"""
      { dog { a: name } dog { a: nickname } }
      """#),
    ReferenceCase(
      "animals", "conflict deep, two fields", "1:3",
      #"""
      { dog { a: name b: barks } dog { a: nickname b: volume } }
      """#),
    ReferenceCase(
      "animals", "conflict deeper", "2:3",
      #"""
      {
        dog { mother { a: name } }
        dog { mother { a: nickname } }
      }
      """#),
    ReferenceCase(
      "animals", "conflict deep, close to the fields", "2:9",
      #"""
      {
        dog { mother { a: name } mother { a: nickname } }
        dog { father { name } }
      }
      """#),
    ReferenceCase(
      "animals", "conflict deep in fragments", "1:3",
      #"""
      { dog { ...A } ...F } fragment A on Dog { mother { a: name } } fragment F on Query { dog { mother { a: nickname } } }
      """#),
    ReferenceCase(
      "animals", "conflict in both a field and a fragment", "1:61",
      #"""
      { pet { ...A ...B } dog { ...A ...B } } fragment A on Pet { a: name } fragment B on Pet { a: nickname }
      """#),
    ReferenceCase(
      "animals", "fields of different objects", "",
      #"""
      { pet { ... on Dog { a: barks } ... on Cat { a: meows } } }
      """#),
    ReferenceCase(
      "animals", "arguments of different objects", "",
      #"""
      { pet { ... on Dog { name(surname: true) } ... on Cat { name } } }
      """#),
    ReferenceCase(
      "animals", "types of different objects", "1:22",
      #"""
      { pet { ... on Dog { volume } ... on Cat { volume } } }
      """#),
    ReferenceCase(
      "animals", "nullability of different objects", "1:22",
      #"""
      { pet { ... on Dog { a: name } ... on Cat { a: nickname } } }
      """#),
    ReferenceCase(
      "animals", "list and single of different objects", "1:24",
      #"""
      { being { ... on Cat { a: kittens { name } } ... on Dog { a: mother { name } } } }
      """#),
    ReferenceCase(
      "animals", "objects of different types", "1:22",
      #"""
      { pet { ... on Dog { a: mother { name } } ... on Cat { a: kittens { name } } } }
      """#),
    ReferenceCase(
      "animals", "composite types of different objects", "",
      #"""
      { being { ... on Dog { a: mother { x: name } } ... on Human { a: dog { x: name } } } }
      """#),
    ReferenceCase(
      "animals", "composite types with a conflict of shapes", "1:24",
      #"""
      { being { ... on Dog { a: owner { x: name } } ... on Human { a: dog { x: volume } } } }
      """#),
    ReferenceCase(
      "animals", "composite types with different fields of the same shape", "",
      #"""
      { being { ... on Dog { a: owner { x: name } } ... on Human { a: dog { x: name(surname: true) } } } }
      """#),
    ReferenceCase(
      "animals", "nullability of the same field on interfaces", "1:24",
      #"""
      { being { ... on Pet { a: nickname } ... on Being { a: name } } }
      """#),
    ReferenceCase(
      "animals", "interface and object conflict", "1:9",
      #"""
      { pet { a: name ... on Dog { a: barks } } }
      """#),
    ReferenceCase(
      "animals", "leaf and composite", "1:24",
      #"""
      { being { ... on Dog { a: barks } ... on Human { a: dog { name } } } }
      """#),
    ReferenceCase(
      "animals", "conflict of values of lists", "1:3",
      #"""
      { a: dogs(names: [["a"]]) { name } a: dogs(names: [["b"]]) { name } }
      """#),
    ReferenceCase(
      "animals", "same values of lists", "",
      #"""
      { a: dogs(names: [["a"], []]) { name } a: dogs(names: [["a"], []]) { name } }
      """#),
    ReferenceCase(
      "animals", "same object values in another order", "",
      #"""
      { arguments { size(a: {required: true, count: 1}) size(a: {count: 1, required: true}) } }
      """#),
    ReferenceCase(
      "animals", "conflict of unknown fields", "1:9 1:9 1:16",
      #"""
      { dog { a: one a: two } }
      """#),
    ReferenceCase(
      "animals", "fragment spread in its own field", "1:47 1:54",
      #"""
      { dog { ...A } } fragment A on Dog { mother { ...A } a: name a: nickname }
      """#),
    ReferenceCase(
      "animals", "conflict of fragments in different objects", "1:73",
      #"""
      { pet { ... on Dog { ...D } ... on Cat { ...C } } } fragment D on Dog { a: barks } fragment C on Cat { a: fur }
      """#),
    ReferenceCase(
      "animals", "conflict between inline fragments of one object", "1:22",
      #"""
      { pet { ... on Dog { a: barks } ... on Dog { a: volume } } }
      """#),
    ReferenceCase(
      "animals", "values of all scalars", "",
      #"""
      { arguments { int(a: 1) float(a: 1.5) string(a: "a") boolean(a: true) id(a: "x") fur(a: BROWN) } }
      """#),
    ReferenceCase(
      "animals", "int as float and ID", "",
      #"""
      { arguments { float(a: 1) id(a: 1) } }
      """#),
    ReferenceCase(
      "animals", "int too large", "1:44 1:66",
      #"""
      { arguments { int(a: 2147483647) b: int(a: 2147483648) c: int(a: -2147483649) d: int(a: -2147483648) } }
      """#),
    ReferenceCase(
      "animals", "wrong values for Int", "6 errors",
      #"""
      { arguments { a: int(a: "1") b: int(a: 1.0) c: int(a: true) d: int(a: ONE) e: int(a: [1]) f: int(a: {}) } }
      """#),
    ReferenceCase(
      "animals", "wrong values for String", "1:28 1:44 1:62 1:81",
      #"""
      { arguments { a: string(a: 1) b: string(a: 1.0) c: string(a: true) d: string(a: ONE) } }
      """#),
    ReferenceCase(
      "animals", "wrong values for Float", "1:27 1:44 1:62",
      #"""
      { arguments { a: float(a: "1") b: float(a: true) c: float(a: ONE) } }
      """#),
    ReferenceCase(
      "animals", "wrong values for Boolean", "1:29 1:46 1:68 1:88",
      #"""
      { arguments { a: boolean(a: 2) b: boolean(a: "true") c: boolean(a: TRUE) d: boolean(a: 1.0) } }
      """#),
    ReferenceCase(
      "animals", "wrong values for ID", "1:24 1:38 1:53",
      #"""
      { arguments { a: id(a: 1.0) b: id(a: true) c: id(a: ONE) } }
      """#),
    ReferenceCase(
      "animals", "wrong values for an enum", "1:25 1:38 1:57 1:73 1:89",
      #"""
      { arguments { a: fur(a: 2) b: fur(a: "BROWN") c: fur(a: true) d: fur(a: BRWN) e: fur(a: brown) } }
      """#),
    ReferenceCase(
      "animals", "null for nullable types", "",
      #"""
      { arguments { int(a: null) strings(a: null) size(a: null) } }
      """#),
    ReferenceCase(
      "animals", "lists", "",
      #"""
      { arguments { strings(a: ["a", null, "b"]) a: strings(a: []) b: strings(a: "a") } }
      """#),
    ReferenceCase(
      "animals", "wrong lists", "1:32 1:50",
      #"""
      { arguments { strings(a: ["a", 2]) a: strings(a: 1) } }
      """#),
    ReferenceCase(
      "animals", "non-null lists", "",
      #"""
      { arguments { list(a: [1]) b: list(a: 1) } }
      """#),
    ReferenceCase(
      "animals", "wrong non-null lists", "1:26 1:44 1:63 1:69",
      #"""
      { arguments { a: list(a: null) b: list(a: [null]) c: list(a: ["1"]) d: list } }
      """#),
    ReferenceCase(
      "animals", "nested lists", "",
      #"""
      { dogs(names: [["a", "b"], ["c"], null, []]) { name } a: dogs(names: "a") { name } b: dogs(names: ["a"]) { name } }
      """#),
    ReferenceCase(
      "animals", "wrong nested lists", "2 errors",
      #"""
      { dogs(names: [["a", 1], [[2]]]) { name } }
      """#),
    ReferenceCase(
      "animals", "input object", "",
      #"""
      { arguments { size(a: {required: true}) b: size(a: {required: true, nested: {required: false, list: "a"}}) } }
      """#),
    ReferenceCase(
      "animals", "input object with missing field", "1:23",
      #"""
      { arguments { size(a: {count: 1}) } }
      """#),
    ReferenceCase(
      "animals", "input object with null for a required field", "1:34 1:44",
      #"""
      { arguments { size(a: {required: null, on: null}) } }
      """#),
    ReferenceCase(
      "animals", "input object with unknown fields", "1:40 1:50",
      #"""
      { arguments { size(a: {required: true, conut: 1, other: {x: 1}}) } }
      """#),
    ReferenceCase(
      "animals", "input object with wrong values", "1:34 1:51 1:57 1:69 1:77",
      #"""
      { arguments { size(a: {required: "x", list: ["a", null, 1], nested: {count: 1.5}}) } }
      """#),
    ReferenceCase(
      "animals", "not an input object", "1:26 1:40 1:56 1:72",
      #"""
      { arguments { a: size(a: 1) b: size(a: [1]) c: size(a: "x") d: size(a: X) } }
      """#),
    ReferenceCase(
      "animals", "input fields twice", "1:40",
      #"""
      { arguments { size(a: {required: true, count: 1, count: 2}) } }
      """#),
    ReferenceCase(
      "animals", "input fields three times", "1:40 1:40",
      #"""
      { arguments { size(a: {required: true, count: 1, count: 2, count: 3}) } }
      """#),
    ReferenceCase(
      "animals", "input fields twice, nested", "1:65 1:125",
      #"""
      { arguments { size(a: {required: true, nested: {required: true, name: "a", name: "b"}}) filter(a: {all: [{required: true}, {required: true, required: true}]}) } }
      """#),
    ReferenceCase(
      "animals", "lists of input objects", "1:88",
      #"""
      { arguments { filter(a: {all: {required: true}, any: [1, [2, 3]]}) b: filter(a: {all: [{}]}) } }
      """#),
    ReferenceCase(
      "animals", "oneOf with one field", "",
      #"""
      query Q($id: ID!) { arguments { one(a: {id: 1}) b: one(a: {name: "x"}) c: one(a: {id: $id}) } }
      """#),
    ReferenceCase(
      "animals", "oneOf with none or two", "1:22 1:36",
      #"""
      { arguments { one(a: {}) b: one(a: {id: 1, name: "x"}) } }
      """#),
    ReferenceCase(
      "animals", "oneOf with null", "1:22 1:44",
      #"""
      { arguments { one(a: {id: null}) b: one(a: {id: null, name: "x"}) } }
      """#),
    ReferenceCase(
      "animals", "oneOf with a nullable variable", "1:9 1:18",
      #"""
      query Q($id: ID, $name: String = "x") { arguments { one(a: {id: $id}) b: one(a: {name: $name}) } }
      """#),
    ReferenceCase(
      "animals", "oneOf with an unknown field", "1:22 1:23",
      #"""
      { arguments { one(a: {idd: 1}) } }
      """#),
    ReferenceCase(
      "animals", "oneOf with the wrong type", "1:27",
      #"""
      { arguments { one(a: {id: 1.5}) } }
      """#),
    ReferenceCase(
      "animals", "custom scalar", "",
      #"""
      { arguments { a: anything(a: 1) b: anything(a: {x: [1, "a", {y: null}]}) c: anything(a: ENUM) } }
      """#),
    ReferenceCase(
      "animals", "custom scalar with a field twice", "1:28",
      #"""
      { arguments { anything(a: {x: 1, x: 2}) } }
      """#),
    ReferenceCase(
      "animals", "wrong value of a directive", "1:20 1:44 1:62",
      #"""
      { dog @include(if: "yes") { name @skip(if: null) @onField(a: "x") } }
      """#),
    ReferenceCase(
      "animals", "values of unknown arguments", "1:15 1:19",
      #"""
      { dog { knows(a: {x: 1, x: 2}) } }
      """#),
    ReferenceCase(
      "animals", "directives known", "",
      #"""
      query Q @onQuery { dog @onField { name @include(if: true) ...F @onSpread ... on Dog @onInline { barks } } } fragment F on Dog @onFragment { volume }
      """#),
    ReferenceCase(
      "animals", "directives of all operations", "",
      #"""
      mutation M @onMutation { feed(id: 1) { name } }
      subscription S @onSubscription { barked { name } }
      """#),
    ReferenceCase(
      "animals", "directive of a variable", "",
      #"""
      query Q($a: Boolean! @onVariable) { dog { name @skip(if: $a) } }
      """#),
    ReferenceCase(
      "animals", "directive unknown", "1:7 1:23",
      #"""
      { dog @unknown { name @skp(if: true) } }
      """#),
    ReferenceCase(
      "animals", "directives unknown, with arguments", "1:7 1:16 1:32",
      #"""
      { dog @unknown(a: 1, a: 2, b: {c: 1, c: 2}) { name } }
      """#),
    ReferenceCase(
      "animals", "directives misplaced", "1:22 1:32 1:47 1:82 1:95 1:137",
      #"""
      query Q($a: Boolean! @onQuery) @onField { dog @onQuery { name @skip(if: $a) ...F @onField ... @onSpread { barks } } } fragment F on Dog @skip(if: true) { volume }
      """#),
    ReferenceCase(
      "animals", "schema directive in a document", "1:7 1:26 1:33",
      #"""
      { dog @deprecated { name @oneOf @specifiedBy(url: "x") } }
      """#),
    ReferenceCase(
      "animals", "directive twice", "1:7",
      #"""
      { dog @onField @onField { name @skip(if: true) @include(if: true) } }
      """#),
    ReferenceCase(
      "animals", "directive three times", "1:14 1:14",
      #"""
      { dog { name @skip(if: true) @skip(if: false) @skip(if: true) } }
      """#),
    ReferenceCase(
      "animals", "repeatable directive", "",
      #"""
      query Q @many @many(a: "x") { dog @many @many { name } }
      """#),
    ReferenceCase(
      "animals", "unknown directive twice", "1:7 1:10",
      #"""
      { dog @x @x { name } }
      """#),
    ReferenceCase(
      "animals", "variables that differ", "",
      #"""
      query Q($a: Int, $b: Int) { dog { at(x: $a, y: $b) } }
      """#),
    ReferenceCase(
      "animals", "variable twice", "1:10",
      #"""
      query Q($a: Int, $a: Int) { dog { at(x: $a) } }
      """#),
    ReferenceCase(
      "animals", "variable three times with other types", "1:10 1:30",
      #"""
      query Q($a: Int, $a: String, $a: Boolean) { dog { at(x: $a) } }
      """#),
    ReferenceCase(
      "animals", "same variable in two operations", "",
      #"""
      query A($a: Int) { dog { at(x: $a) } } query B($a: Int) { dog { at(x: $a) } }
      """#),
    ReferenceCase(
      "animals", "variables of input types", "",
      #"""
      query Q($a: Int, $b: [Size!]!, $c: Fur, $d: Anything) { arguments { int(a: $a) filter(a: {all: $b}) fur(a: $c) anything(a: $d) } }
      """#),
    ReferenceCase(
      "animals", "variables of output types", "1:13 1:22 1:37",
      #"""
      query Q($a: Dog, $b: [[Pet!]]!, $c: Thing) { arguments { anything(a: {a: $a, b: $b, c: $c}) } }
      """#),
    ReferenceCase(
      "animals", "variables of unknown types", "1:13 1:27",
      #"""
      query Q($a: Nothing, $b: [Strng!]) { arguments { int(a: $a) strings(a: $b) } }
      """#),
    ReferenceCase(
      "animals", "variable not defined", "1:15",
      #"""
      { dog { at(x: $a) } }
      """#),
    ReferenceCase(
      "animals", "variable not defined in a named query", "1:39 1:58",
      #"""
      query Q($a: Int) { dog { at(x: $a, y: $b) knows(command: $c) } }
      """#),
    ReferenceCase(
      "animals", "variable not defined in a fragment", "1:86",
      #"""
      query A($a: Int) { dog { ...F } } query B { dog { ...F } } fragment F on Dog { at(x: $a) }
      """#),
    ReferenceCase(
      "animals", "variable not defined in nested fragments", "1:88 1:95",
      #"""
      query A { dog { ...F } } fragment F on Dog { ...G } fragment G on Dog { mother { at(x: $a, y: $b) } }
      """#),
    ReferenceCase(
      "animals", "variable not defined in an unused fragment", "1:18",
      #"""
      { dog { name } } fragment F on Dog { at(x: $a) }
      """#),
    ReferenceCase(
      "animals", "variable not defined in values", "1:34 1:45 1:60",
      #"""
      { arguments { size(a: {required: $a, list: [$b]}) list(a: [$c, 1]) } }
      """#),
    ReferenceCase(
      "animals", "variable not defined in a directive", "1:24",
      #"""
      { dog { name @skip(if: $a) } }
      """#),
    ReferenceCase(
      "animals", "variable in a cyclic fragment", "1:52 1:65",
      #"""
      query Q { dog { ...F } } fragment F on Dog { at(x: $a) mother { ...F } }
      """#),
    ReferenceCase(
      "animals", "variable unused", "1:9",
      #"""
      query Q($a: Int, $b: Int) { dog { at(x: $b) } }
      """#),
    ReferenceCase(
      "animals", "variables unused in two operations", "1:9 1:52",
      #"""
      query A($a: Int) { dog { name } } query B($a: Int, $b: Int) { dog { ...F } } fragment F on Dog { at(x: $a) }
      """#),
    ReferenceCase(
      "animals", "variable used in a fragment", "",
      #"""
      query Q($a: Int) { dog { ...F } } fragment F on Dog { mother { ... { at(x: $a) } } }
      """#),
    ReferenceCase(
      "animals", "variable used by an unknown argument", "1:29",
      #"""
      query Q($a: Int) { dog { at(z: $a) } }
      """#),
    ReferenceCase(
      "animals", "variable used in an unknown field", "1:26",
      #"""
      query Q($a: Int) { dog { nothing(x: $a) } }
      """#),
    ReferenceCase(
      "animals", "variable of the same type", "",
      #"""
      query Q($a: Int, $b: Boolean!, $c: [String]) { arguments { int(a: $a) boolean(a: $b) strings(a: $c) } }
      """#),
    ReferenceCase(
      "animals", "variable of another type", "1:9 1:21 1:30",
      #"""
      query Q($a: String, $b: Int, $c: Boolean!) { arguments { int(a: $a) id(a: $b) strings(a: $c) } }
      """#),
    ReferenceCase(
      "animals", "nullable variable for a non-null argument", "1:9",
      #"""
      query Q($a: Int) { arguments { required(a: $a) } }
      """#),
    ReferenceCase(
      "animals", "nullable variable with default for a non-null argument", "",
      #"""
      query Q($a: Int = 1) { arguments { required(a: $a) } }
      """#),
    ReferenceCase(
      "animals", "nullable variable with default null for a non-null argument", "1:9",
      #"""
      query Q($a: Int = null) { arguments { required(a: $a) } }
      """#),
    ReferenceCase(
      "animals", "nullable variable for a non-null argument with default", "",
      #"""
      query Q($a: Int) { arguments { optional(b: $a) } }
      """#),
    ReferenceCase(
      "animals", "nullable variable for a non-null field with default", "1:22",
      #"""
      query Q($a: Boolean, $b: Boolean) { arguments { size(a: {required: $b, on: $a}) } }
      """#),
    ReferenceCase(
      "animals", "nullable variable for a directive", "1:9",
      #"""
      query Q($a: Boolean) { dog @include(if: $a) { name } }
      """#),
    ReferenceCase(
      "animals", "nullable variable with default for a directive", "",
      #"""
      query Q($a: Boolean = false) { dog @include(if: $a) { name } }
      """#),
    ReferenceCase(
      "animals", "list variable for a single argument", "1:9",
      #"""
      query Q($a: [Int]) { arguments { int(a: $a) } }
      """#),
    ReferenceCase(
      "animals", "single variable for a list", "1:9",
      #"""
      query Q($a: String) { arguments { strings(a: $a) } }
      """#),
    ReferenceCase(
      "animals", "variable in a list", "1:21",
      #"""
      query Q($a: String, $b: [String]) { arguments { strings(a: [$a]) b: strings(a: [$b]) } }
      """#),
    ReferenceCase(
      "animals", "non-null items", "1:9 1:20 1:45",
      #"""
      query Q($a: [Int], $b: [Int!], $c: [Int!]!, $d: [Int]!) { arguments { a: list(a: $a) b: list(a: $b) c: list(a: $c) d: list(a: $d) } }
      """#),
    ReferenceCase(
      "animals", "nullable variable in a list of non-null items", "1:9",
      #"""
      query Q($a: Int, $b: Int = 1) { arguments { a: list(a: [$a]) b: list(a: [$b]) } }
      """#),
    ReferenceCase(
      "animals", "variables of input fields", "1:9 1:18",
      #"""
      query Q($a: Int, $b: String, $c: Size) { arguments { size(a: {required: true, count: $b, name: $a, nested: $c}) } }
      """#),
    ReferenceCase(
      "animals", "variable of the wrong type in a fragment", "1:9",
      #"""
      query Q($a: String) { ...F } fragment F on Query { arguments { int(a: $a) } }
      """#),
    ReferenceCase(
      "animals", "variable used twice with the wrong type", "1:9 1:9",
      #"""
      query Q($a: String) { arguments { a: int(a: $a) b: int(a: $a) } }
      """#),
    ReferenceCase(
      "animals", "variable for an enum", "1:18",
      #"""
      query Q($a: Fur, $b: String) { arguments { a: fur(a: $a) b: fur(a: $b) } }
      """#),
    ReferenceCase(
      "animals", "default values", "",
      #"""
      query Q($a: Int = 1, $b: String! = "x", $c: [Int!] = [1, 2], $d: Size = {required: true}, $e: Fur = BROWN) { arguments { int(a: $a) string(a: $b) filter(a: {any: [$c]}) size(a: $d) fur(a: $e) } }
      """#),
    ReferenceCase(
      "animals", "wrong default values", "1:19 1:38 1:61 1:79 1:101",
      #"""
      query Q($a: Int = "1", $b: String! = null, $c: [Int!] = [1, null], $d: Size = {count: 1}, $e: Fur = "BROWN") { arguments { int(a: $a) string(a: $b) filter(a: {any: [$c]}) size(a: $d) fur(a: $e) } }
      """#),
    ReferenceCase(
      "animals", "default values with missing and unknown fields", "1:37 1:61",
      #"""
      query Q($a: Size = {required: true, nothing: 1}, $b: Size = 1) { arguments { a: size(a: $a) b: size(a: $b) } }
      """#),
    ReferenceCase(
      "animals", "syntax: nothing", "syntax 1:17",
      #"""
      # only a comment
      """#),
    ReferenceCase(
      "animals", "syntax: open brace", "syntax 1:13",
      #"""
      { dog { name
      """#),
    ReferenceCase(
      "animals", "syntax: too many braces", "syntax 1:18",
      #"""
      { dog { name } } }
      """#),
    ReferenceCase(
      "animals", "syntax: empty selection", "syntax 1:9",
      #"""
      { dog { } }
      """#),
    ReferenceCase(
      "animals", "syntax: empty arguments", "syntax 1:14",
      #"""
      { dog { name() } }
      """#),
    ReferenceCase(
      "animals", "syntax: empty variables", "syntax 1:9",
      #"""
      query Q() { dog { name } }
      """#),
    ReferenceCase(
      "animals", "syntax: missing colon", "syntax 1:14",
      #"""
      { dog { at(x 1) } }
      """#),
    ReferenceCase(
      "animals", "syntax: missing value", "syntax 1:15",
      #"""
      { dog { at(x: ) } }
      """#),
    ReferenceCase(
      "animals", "syntax: fragment called on", "syntax 1:15",
      #"""
      { dog { ...on } } fragment on on Dog { name }
      """#),
    ReferenceCase(
      "animals", "syntax: fragment without on", "syntax 1:12",
      #"""
      fragment F Dog { name }
      """#),
    ReferenceCase(
      "animals", "syntax: variable in a default", "syntax 1:19",
      #"""
      query Q($a: Int = $b) { dog { name } }
      """#),
    ReferenceCase(
      "animals", "syntax: variable in a list of a default", "syntax 1:25",
      #"""
      query Q($a: [Int] = [1, $b]) { dog { name } }
      """#),
    ReferenceCase(
      "animals", "syntax: two dots", "syntax 1:9",
      #"""
      { dog { ..F } }
      """#),
    ReferenceCase(
      "animals", "syntax: unknown keyword", "syntax 1:1",
      #"""
      qurey Q { dog { name } }
      """#),
    ReferenceCase(
      "animals", "syntax: unknown character", "syntax 1:14",
      #"""
      { dog { name ? } }
      """#),
    ReferenceCase(
      "animals", "syntax: unknown character after other scripts", "syntax 1:28",
      #"""
      { human(id: "日本語🙂") { name ? } }
      """#),
    ReferenceCase(
      "animals", "syntax: single quotes", "syntax 1:13",
      #"""
      { human(id: 'x') { name } }
      """#),
    ReferenceCase(
      "animals", "syntax: string over two lines", "syntax 1:15",
      #"""
      { human(id: "a
      b") { name } }
      """#),
    ReferenceCase(
      "animals", "syntax: string without end", "syntax 1:15",
      #"""
      { human(id: "a
      """#),
    ReferenceCase(
      "animals", "syntax: block string without end", "syntax 2:2",
      #"""
      { human(id: """a
      b
      """#),
    ReferenceCase(
      "animals", "syntax: wrong escape", "syntax 1:15",
      #"""
      { human(id: "a\x") { name } }
      """#),
    ReferenceCase(
      "animals", "syntax: wrong unicode escape", "syntax 1:14",
      #"""
      { human(id: "\u12G4") { name } }
      """#),
    ReferenceCase(
      "animals", "syntax: lone surrogate", "syntax 1:16",
      #"""
      { human(id: "ab\uD83D x") { name } }
      """#),
    ReferenceCase(
      "animals", "syntax: low surrogate", "syntax 1:16",
      #"""
      { human(id: "ab\uDE00") { name } }
      """#),
    ReferenceCase(
      "animals", "syntax: braced escape too large", "syntax 1:14",
      #"""
      { human(id: "\u{110000}") { name } }
      """#),
    ReferenceCase(
      "animals", "syntax: braced escape empty", "syntax 1:14",
      #"""
      { human(id: "\u{}") { name } }
      """#),
    ReferenceCase(
      "animals", "syntax: number with leading zero", "syntax 1:16",
      #"""
      { dog { at(x: 01) } }
      """#),
    ReferenceCase(
      "animals", "syntax: number with a name", "syntax 1:17",
      #"""
      { dog { at(x: 12a) } }
      """#),
    ReferenceCase(
      "animals", "syntax: number without digits after the point", "syntax 1:17",
      #"""
      { dog { at(x: 1.) } }
      """#),
    ReferenceCase(
      "animals", "syntax: number without digits before the point", "syntax 1:15",
      #"""
      { dog { at(x: .5) } }
      """#),
    ReferenceCase(
      "animals", "syntax: number without digits in the exponent", "syntax 1:17",
      #"""
      { dog { at(x: 1e) } }
      """#),
    ReferenceCase(
      "animals", "syntax: number with plus", "syntax 1:15",
      #"""
      { dog { at(x: +1) } }
      """#),
    ReferenceCase(
      "animals", "syntax: minus alone", "syntax 1:16",
      #"""
      { dog { at(x: -) } }
      """#),
    ReferenceCase(
      "animals", "syntax: number with two points", "syntax 1:18",
      #"""
      { dog { at(x: 1.2.3) } }
      """#),
    ReferenceCase(
      "animals", "syntax: dollar without name", "syntax 1:10",
      #"""
      query Q($: Int) { dog { name } }
      """#),
    ReferenceCase(
      "animals", "syntax: directive without name", "syntax 1:9",
      #"""
      { dog @ { name } }
      """#),
    ReferenceCase(
      "animals", "syntax: extension of an operation", "syntax 1:8",
      #"""
      extend query { dog { name } }
      """#),
    ReferenceCase(
      "animals", "syntax: description of a shorthand query", "syntax 1:1",
      #"""
      "text" { dog { name } }
      """#),
    ReferenceCase(
      "animals", "syntax: alias without field", "syntax 1:12",
      #"""
      { dog { a: } }
      """#),
    ReferenceCase(
      "animals", "syntax: type without end", "syntax 1:17",
      #"""
      query Q($a: [Int) { dog { name } }
      """#),
    ReferenceCase(
      "animals", "syntax: two exclamation marks", "syntax 1:17",
      #"""
      query Q($a: Int!!) { dog { name } }
      """#),
    ReferenceCase(
      "animals", "syntax: all numbers", "",
      #"""
      { arguments { a: float(a: 0) b: float(a: -0) c: float(a: -1.5e10) d: float(a: 1E-5) e: float(a: 0.5) f: float(a: 1e+2) } }
      """#),
    ReferenceCase(
      "animals", "syntax: all strings", "",
      #"""
      { arguments { a: string(a: "") b: string(a: "\" \\ \/ \b \f \n \r \t é \u00e9 \uD83D\uDE00 \u{1F600}") c: string(a: """block " "" \""" end""") } }
      """#),
    ReferenceCase(
      "animals", "syntax: commas and comments anywhere", "",
      #"""
      {,,dog,{,name # comment
      ,},,}#end
      """#),
    ReferenceCase(
      "animals", "syntax: keywords as names", "",
      #"""
      query query { fragment: dog { on: name type: name true: barks } }
      """#),
    ReferenceCase(
      "animals", "syntax: descriptions of executable definitions", "",
      #"""
      "the dog" query Q("its surname" $a: Boolean) { dog { name(surname: $a) ...F } }
      """
      a fragment
      """ fragment F on Dog { barks }
      """#),
    ReferenceCase(
      "animals", "syntax: nested lists and objects", "",
      #"""
      { arguments { anything(a: [[[{a: [{}]}]], []]) } }
      """#),
    ReferenceCase(
      "roots", "roots: query", "",
      #"""
      { a b { a } }
      """#),
    ReferenceCase(
      "roots", "roots: the mutation type is missing", "1:1",
      #"""
      mutation { a }
      """#),
    ReferenceCase(
      "roots", "roots: subscription is not there", "1:1",
      #"""
      subscription S { a b }
      """#),
    ReferenceCase(
      "roots", "roots: type called Mutation is not used", "1:5",
      #"""
      { a ... on Mutation { a } }
      """#),
  ]

  static let ownSchemas: [ReferenceCase] = [
    ReferenceCase(
      "", "smallest", "",
      #"""
      type Query { a: Int }
      """#),
    ReferenceCase(
      "", "everything", "",
      #"""
      """
      The schema
      """
      schema @tag(name: "x") { query: Root mutation: Changes subscription: Events }
      directive @tag(name: String = "a" @deprecated) repeatable on SCHEMA | OBJECT | FIELD_DEFINITION | ARGUMENT_DEFINITION | ENUM_VALUE | INPUT_OBJECT | INPUT_FIELD_DEFINITION | UNION | SCALAR | INTERFACE | ENUM
      scalar Date @specifiedBy(url: "https://example.com/date")
      interface Node { id: ID! }
      interface Named implements Node { id: ID! name: String }
      type Root implements Node & Named @tag @tag(name: "b") { id: ID! name: String "the field" list("the argument" a: [Input!] = [{a: 1}] @tag): [Result] @deprecated(reason: "old") }
      type Changes { change(one: One): Int }
      type Events { event: Date }
      union Result @tag = | Root | Changes
      enum Color { "red" RED @tag GREEN @deprecated }
      input Input @tag { a: Int = 1 @tag b: Input c: [Input!]! = [] }
      input One @oneOf { a: Int b: String }
      extend type Root { extra: Color }
      extend interface Node @tag
      extend union Result = Events
      extend enum Color { BLUE }
      extend input Input { d: Color = RED }
      extend scalar Date @tag
      extend schema @tag(name: "y")
      """#),
    ReferenceCase(
      "", "no query", "invalid",
      #"""
      type A { a: Int }
      """#),
    ReferenceCase(
      "", "type twice", "invalid",
      #"""
      type Query { a: Int } type A { a: Int } type A { b: Int }
      """#),
    ReferenceCase(
      "", "type and scalar of one name", "invalid",
      #"""
      type Query { a: Int } scalar A union A = Query
      """#),
    ReferenceCase(
      "", "field twice", "invalid",
      #"""
      type Query { a: Int a: String }
      """#),
    ReferenceCase(
      "", "field twice by extension", "invalid",
      #"""
      type Query { a: Int } extend type Query { a: Int }
      """#),
    ReferenceCase(
      "", "argument twice", "invalid",
      #"""
      type Query { a(x: Int, x: Int): Int }
      """#),
    ReferenceCase(
      "", "enum value twice", "invalid",
      #"""
      type Query { a: E } enum E { A B A }
      """#),
    ReferenceCase(
      "", "enum value twice by extension", "invalid",
      #"""
      type Query { a: E } enum E { A B } extend enum E { B }
      """#),
    ReferenceCase(
      "", "input field twice", "invalid",
      #"""
      type Query { a(x: I): Int } input I { a: Int a: Int }
      """#),
    ReferenceCase(
      "", "directive twice", "invalid",
      #"""
      type Query { a: Int } directive @d on FIELD directive @d on QUERY
      """#),
    ReferenceCase(
      "", "directive argument twice", "invalid",
      #"""
      type Query { a: Int } directive @d(a: Int, a: Int) on FIELD
      """#),
    ReferenceCase(
      "", "union member twice", "invalid",
      #"""
      type Query { a: U } union U = Query | Query
      """#),
    ReferenceCase(
      "", "interface twice", "invalid",
      #"""
      type Query implements I & I { a: Int } interface I { a: Int }
      """#),
    ReferenceCase(
      "", "schema twice", "invalid",
      #"""
      schema { query: Query } schema { query: Query } type Query { a: Int }
      """#),
    ReferenceCase(
      "", "root twice", "invalid",
      #"""
      schema { query: Query query: Other } type Query { a: Int } type Other { a: Int }
      """#),
    ReferenceCase(
      "", "same root for two kinds", "invalid",
      #"""
      schema { query: Query mutation: Query } type Query { a: Int }
      """#),
    ReferenceCase(
      "", "root unknown", "invalid",
      #"""
      schema { query: Nothing } type Query { a: Int }
      """#),
    ReferenceCase(
      "", "root not an object", "invalid",
      #"""
      schema { query: Query mutation: E } type Query { a: Int } enum E { A }
      """#),
    ReferenceCase(
      "", "unknown field type", "invalid",
      #"""
      type Query { a: Strng }
      """#),
    ReferenceCase(
      "", "unknown argument type", "invalid",
      #"""
      type Query { a(x: [Nothing!]): Int }
      """#),
    ReferenceCase(
      "", "unknown member", "invalid",
      #"""
      type Query { a: U } union U = Query | Nothing
      """#),
    ReferenceCase(
      "", "unknown interface", "invalid",
      #"""
      type Query implements Nothing { a: Int }
      """#),
    ReferenceCase(
      "", "unknown type in a directive", "invalid",
      #"""
      type Query { a: Int } directive @d(a: Nothing) on FIELD
      """#),
    ReferenceCase(
      "", "input type as output", "invalid",
      #"""
      type Query { a: I } input I { a: Int }
      """#),
    ReferenceCase(
      "", "output type as input", "invalid",
      #"""
      type Query { a(x: Query): Int }
      """#),
    ReferenceCase(
      "", "output type in an input", "invalid",
      #"""
      type Query { a(x: I): Int } input I { q: [Query!] }
      """#),
    ReferenceCase(
      "", "union of a scalar", "invalid",
      #"""
      type Query { a: U } union U = Int
      """#),
    ReferenceCase(
      "", "union of an interface", "invalid",
      #"""
      type Query { a: U } union U = I interface I { a: Int }
      """#),
    ReferenceCase(
      "", "implements an object", "invalid",
      #"""
      type Query implements A { a: Int } type A { a: Int }
      """#),
    ReferenceCase(
      "", "implements itself", "invalid",
      #"""
      type Query { a: I } interface I implements I { a: Int }
      """#),
    ReferenceCase(
      "", "implements each other", "invalid",
      #"""
      type Query { a: I } interface I implements J { a: Int } interface J implements I { a: Int }
      """#),
    ReferenceCase(
      "", "interface field missing", "invalid",
      #"""
      type Query implements I { b: Int } interface I { a: Int }
      """#),
    ReferenceCase(
      "", "interface field of another type", "invalid",
      #"""
      type Query implements I { a: Int } interface I { a: String }
      """#),
    ReferenceCase(
      "", "interface field of a subtype", "",
      #"""
      type Query implements I { a: Query! b: [Query!]! c: Query } interface I { a: I b: [I] c: U } union U = Query
      """#),
    ReferenceCase(
      "", "interface field nullable", "invalid",
      #"""
      type Query implements I { a: Int } interface I { a: Int! }
      """#),
    ReferenceCase(
      "", "interface argument missing", "invalid",
      #"""
      type Query implements I { a: Int } interface I { a(x: Int): Int }
      """#),
    ReferenceCase(
      "", "interface argument of another type", "invalid",
      #"""
      type Query implements I { a(x: Int!): Int } interface I { a(x: Int): Int }
      """#),
    ReferenceCase(
      "", "additional optional argument", "",
      #"""
      type Query implements I { a(x: Int, y: Int! = 1): Int } interface I { a: Int }
      """#),
    ReferenceCase(
      "", "additional required argument", "invalid",
      #"""
      type Query implements I { a(y: Int!): Int } interface I { a: Int }
      """#),
    ReferenceCase(
      "", "interface of an interface missing", "invalid",
      #"""
      type Query implements J { a: Int } interface I { a: Int } interface J implements I { a: Int }
      """#),
    ReferenceCase(
      "", "reserved type", "invalid",
      #"""
      type Query { a: Int } type __A { a: Int }
      """#),
    ReferenceCase(
      "", "reserved field", "invalid",
      #"""
      type Query { __a: Int }
      """#),
    ReferenceCase(
      "", "reserved argument", "invalid",
      #"""
      type Query { a(__x: Int): Int }
      """#),
    ReferenceCase(
      "", "reserved directive", "invalid",
      #"""
      type Query { a: Int } directive @__d on FIELD
      """#),
    ReferenceCase(
      "", "reserved enum value", "invalid",
      #"""
      type Query { a: E } enum E { __A }
      """#),
    ReferenceCase(
      "", "type without fields", "invalid",
      #"""
      type Query
      """#),
    ReferenceCase(
      "", "type with fields by extension", "",
      #"""
      type Query extend type Query { a: Int }
      """#),
    ReferenceCase(
      "", "union without members", "invalid",
      #"""
      type Query { a: U } union U
      """#),
    ReferenceCase(
      "", "enum without values", "invalid",
      #"""
      type Query { a: E } enum E
      """#),
    ReferenceCase(
      "", "input without fields", "invalid",
      #"""
      type Query { a(x: I): Int } input I
      """#),
    ReferenceCase(
      "", "input that contains itself", "invalid",
      #"""
      type Query { a(x: I): Int } input I { i: I! }
      """#),
    ReferenceCase(
      "", "input that contains itself through another", "invalid",
      #"""
      type Query { a(x: I): Int } input I { j: J! } input J { i: I! }
      """#),
    ReferenceCase(
      "", "input that may contain itself", "",
      #"""
      type Query { a(x: I): Int } input I { i: I l: [I!]! }
      """#),
    ReferenceCase(
      "", "input that leads to one that contains itself", "invalid",
      #"""
      type Query { a(x: K): Int } input K { i: I! } input I { i: I! }
      """#),
    ReferenceCase(
      "", "oneOf that contains itself", "invalid",
      #"""
      type Query { a(x: I): Int } input I @oneOf { i: I j: J } input J { i: I! }
      """#),
    ReferenceCase(
      "", "oneOf with a way out", "",
      #"""
      type Query { a(x: I): Int } input I @oneOf { i: I l: [J!] } input J { i: I! }
      """#),
    ReferenceCase(
      "", "oneOf with a non-null field", "invalid",
      #"""
      type Query { a(x: I): Int } input I @oneOf { a: Int! b: Int }
      """#),
    ReferenceCase(
      "", "oneOf with a default", "invalid",
      #"""
      type Query { a(x: I): Int } input I @oneOf { a: Int = 1 b: Int }
      """#),
    ReferenceCase(
      "", "unknown directive", "invalid",
      #"""
      type Query @nothing { a: Int }
      """#),
    ReferenceCase(
      "", "misplaced directive", "invalid",
      #"""
      type Query @deprecated { a: Int @oneOf }
      """#),
    ReferenceCase(
      "", "directive used twice", "invalid",
      #"""
      type Query { a: Int @deprecated @deprecated(reason: "x") }
      """#),
    ReferenceCase(
      "", "directive used twice by extension", "invalid",
      #"""
      type Query @d { a: Int } extend type Query @d directive @d on OBJECT
      """#),
    ReferenceCase(
      "", "directive with unknown argument", "invalid",
      #"""
      type Query { a: Int @deprecated(raeson: "x") }
      """#),
    ReferenceCase(
      "", "directive without required argument", "invalid",
      #"""
      type Query { a: D } scalar D @specifiedBy
      """#),
    ReferenceCase(
      "", "directive with an argument twice", "invalid",
      #"""
      type Query { a: Int @deprecated(reason: "x", reason: "y") }
      """#),
    ReferenceCase(
      "", "wrong default", "invalid",
      #"""
      type Query { a(x: Int = "1"): Int }
      """#),
    ReferenceCase(
      "", "wrong default of an input field", "invalid",
      #"""
      type Query { a(x: I): Int } input I { a: E = B } enum E { A }
      """#),
    ReferenceCase(
      "", "deprecated required argument", "invalid",
      #"""
      type Query { a(x: Int! @deprecated): Int }
      """#),
    ReferenceCase(
      "", "deprecated required argument with default", "",
      #"""
      type Query { a(x: Int! = 1 @deprecated): Int }
      """#),
    ReferenceCase(
      "", "deprecated required input field", "invalid",
      #"""
      type Query { a(x: I): Int } input I { a: Int! @deprecated }
      """#),
    ReferenceCase(
      "", "extension of an unknown type", "invalid",
      #"""
      type Query { a: Int } extend type Nothing { a: Int }
      """#),
    ReferenceCase(
      "", "extension of another kind", "invalid",
      #"""
      type Query { a: Int } extend interface Query { b: Int }
      """#),
    ReferenceCase(
      "", "extension before the type", "",
      #"""
      extend type Query { b: Int } type Query { a: Int }
      """#),
    ReferenceCase(
      "", "syntax: enum value true", "syntax 1:30",
      #"""
      type Query { a: E } enum E { true }
      """#),
    ReferenceCase(
      "", "syntax: extension without content", "syntax 1:40",
      #"""
      type Query { a: Int } extend type Query
      """#),
    ReferenceCase(
      "", "syntax: extension with a description", "syntax 1:23",
      #"""
      type Query { a: Int } "text" extend type Query { b: Int }
      """#),
    ReferenceCase(
      "", "syntax: empty fields", "syntax 1:14",
      #"""
      type Query { }
      """#),
    ReferenceCase(
      "", "syntax: field without type", "syntax 1:16",
      #"""
      type Query { a }
      """#),
    ReferenceCase(
      "", "syntax: unknown location", "syntax 1:39",
      #"""
      type Query { a: Int } directive @d on NOWHERE
      """#),
    ReferenceCase(
      "", "syntax: directive without on", "syntax 1:36",
      #"""
      type Query { a: Int } directive @d FIELD
      """#),
    ReferenceCase(
      "", "syntax: implements without name", "syntax 1:23",
      #"""
      type Query implements { a: Int }
      """#),
    ReferenceCase(
      "", "syntax: union without name after the bar", "syntax 1:38",
      #"""
      type Query { a: U } union U = Query |
      """#),
    ReferenceCase(
      "", "syntax: leading separators", "",
      #"""
      type Query implements & I { a: U } interface I { a: U } union U = | Query
      """#),
    ReferenceCase(
      "", "syntax: variable as default", "syntax 1:25",
      #"""
      type Query { a(x: Int = $y): Int }
      """#),
    ReferenceCase(
      "", "syntax: schema without braces", "syntax 1:8",
      #"""
      schema type Query { a: Int }
      """#),
    ReferenceCase(
      "", "syntax: keywords as names", "",
      #"""
      type Query { type: input enum: Int } type input { interface: Int }
      """#),
    ReferenceCase(
      "", "implicit root not an object", "invalid",
      #"""
      input Query { a: Int }
      """#),
    ReferenceCase(
      "", "implicit root of mutations not an object", "invalid",
      #"""
      type Query { a: Int } scalar Mutation
      """#),
  ]
}
